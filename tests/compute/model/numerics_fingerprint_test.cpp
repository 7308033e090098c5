// SPDX-License-Identifier: Apache-2.0
/// The fingerprint is that of the bits, not of how they are computed.
#include "compute/model/numerics_fingerprint.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>

namespace actorpipe::test {

namespace {

std::string of_cpu(std::size_t threads) {
  return numerics_fingerprint(*make_cpu_device("cpu", threads));
}

/// Of another process, with `assignments` of variables in its environment.
std::string of_process_with(const std::string& assignments) {
  const auto command = assignments + " \"" + ACTORPIPE_PRINT_FINGERPRINT "\"";
  const std::unique_ptr<FILE, int (*)(FILE*)> output(
    popen(command.c_str(), "r"), pclose);
  std::array<char, 100> line{};
  if (output == nullptr
      || std::fgets(line.data(), static_cast<int>(line.size()), output.get())
           == nullptr)
    return "nothing was printed";
  std::string result = line.data();
  result.pop_back();
  return result;
}

} // namespace

TEST(numerics_fingerprint, is_one_for_any_number_of_threads) {
  const auto one = of_cpu(1);
  EXPECT_EQ(one.size(), 64U);
  for (const std::size_t threads : {1U, 2U, 3U, 5U})
    EXPECT_EQ(of_cpu(threads), one) << threads;
}

TEST(numerics_fingerprint, is_one_in_another_process) {
  EXPECT_EQ(of_process_with(""), of_cpu(1));
}

TEST(numerics_fingerprint, tells_other_kernels_apart) {
  EXPECT_NE(numerics_fingerprint(*make_reference_device("reference")),
            of_cpu(1));
}

TEST(numerics_fingerprint, tells_another_instruction_set_apart) {
  const auto older = of_process_with("DNNL_MAX_CPU_ISA=SSE41");
  EXPECT_EQ(older.size(), 64U);
  if (older == of_cpu(1))
    GTEST_SKIP() << "the products are the same bits on this processor, or it "
                    "has no newer instruction set";
}

} // namespace actorpipe::test
