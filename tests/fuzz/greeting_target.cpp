// SPDX-License-Identifier: Apache-2.0
/// Fuzz target: greetings of links and their answers. What an input lacks is
/// zero.
#include "actors/link/data_sum.hpp"
#include "actors/link/greeting.hpp"
#include "actors/link/link_error.hpp"
#include "messages/protocol_version.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace {

namespace fuzz = actorpipe::fuzz;

using block = std::array<std::byte, actorpipe::greeting_bytes>;

void check_greeting(const block& input) {
  fuzz::within_memory(input.size(), [&] {
    const auto greeting = actorpipe::decode_greeting(input);
    if (!greeting)
      return;
    fuzz::require(actorpipe::decode_greeting(actorpipe::encode(*greeting))
                    == greeting,
                  "a greeting reads back as written");
    fuzz::require(find_difference(*greeting, *greeting).empty(),
                  "a greeting is itself");
    fuzz::require(*greeting == actorpipe::link_greeting{}
                    || !find_difference(*greeting, {}).empty(),
                  "another greeting is told apart");
  });
}

// The same greeting with a version and a sum that are right.
block sealed(block input) {
  constexpr std::size_t protocol_at = 4;
  std::memcpy(input.data(), "APLG", protocol_at);
  std::memcpy(input.data() + protocol_at, &actorpipe::protocol_version,
              sizeof(actorpipe::protocol_version));
  constexpr auto sum_at = actorpipe::greeting_bytes - sizeof(std::uint64_t);
  const auto sum = actorpipe::sum_of(std::span(input).first(sum_at));
  std::memcpy(input.data() + sum_at, &sum, sizeof(sum));
  return input;
}

void check_answer(const block& input) {
  constexpr auto start = actorpipe::answer_start_bytes;
  try {
    fuzz::require(actorpipe::refusal_bytes(std::span(input).first<start>())
                    <= actorpipe::most_refusal_bytes,
                  "a refusal is short");
  } catch (const actorpipe::link_error&) {
    // What it promises.
  }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  block input{};
  std::copy_n(reinterpret_cast<const std::byte*>(bytes),
              std::min(size, input.size()), input.begin());
  check_greeting(input);
  check_greeting(sealed(input));
  check_answer(input);
  return 0;
}
