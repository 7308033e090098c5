// SPDX-License-Identifier: Apache-2.0
/// Sums of bytes and of parameters.
#include "compute/io/parameter_digest.hpp"
#include "compute/io/sha256.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace actorpipe {

namespace {

using floats = std::vector<float>;

// The examples of FIPS 180-2, appendix B.
TEST(sha256, gives_the_sums_of_the_standard) {
  EXPECT_EQ(sha256_hex(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(
    sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  sha256 sum;
  for (int i = 0; i < 1000; ++i)
    sum.add(std::string(1000, 'a'));
  EXPECT_EQ(sum.finish(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(parameters_sha256, is_the_sum_of_the_documented_bytes) {
  const std::string bytes("\1\0\0\0\0\0\0\0" // one parameter: its name
                          "a"
                          "\2\0\0\0\0\0\0\0" // rank
                          "\1\0\0\0\0\0\0\0" // extents
                          "\2\0\0\0\0\0\0\0"
                          "\0\0\x80\x3f" // 1.0F, -2.0F
                          "\0\0\0\xc0"
                          "\2\0\0\0\0\0\0\0" // another, a scalar
                          "b."
                          "\0\0\0\0\0\0\0\0"
                          "\0\0\0\0",
                          9 + 24 + 8 + 10 + 8 + 4);
  EXPECT_EQ(parameters_sha256({{"a", tensor::from({1, 2}, floats{1, -2})},
                               {"b.", tensor::from({}, floats{0})}}),
            sha256_hex(bytes));
}

TEST(parameters_sha256, does_not_depend_on_the_order_given) {
  const named_tensor a{"a", tensor::from({1}, floats{1})};
  const named_tensor b{"b", tensor::from({1}, floats{2})};
  EXPECT_EQ(parameters_sha256({a, b}), parameters_sha256({b, a}));
}

TEST(parameters_sha256, sees_names_shapes_and_single_bits) {
  const auto of = [](const char* name, const shape& extents, floats values) {
    return parameters_sha256({{name, tensor::from(extents, values)}});
  };
  const auto sum = of("a", {2}, {0, 1});
  EXPECT_NE(of("b", {2}, {0, 1}), sum);
  EXPECT_NE(of("a", {1, 2}, {0, 1}), sum);
  EXPECT_NE(of("a", {2}, {-0.0F, 1}), sum);
}

TEST(parameters_sha256, refuses_what_is_no_set_of_parameters) {
  const named_tensor a{"a", tensor::from({1}, floats{1})};
  EXPECT_THROW(parameters_sha256({a, a}), std::invalid_argument);
  EXPECT_THROW(
    parameters_sha256({{"a", tensor::from({1}, std::vector<double>{1})}}),
    std::invalid_argument);
}

} // namespace

} // namespace actorpipe
