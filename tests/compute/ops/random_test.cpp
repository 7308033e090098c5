// SPDX-License-Identifier: Apache-2.0
/// The generator against published vectors, keys, and initial values.
#include "op_check.hpp"

#include "compute/ops/philox.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace actorpipe::test {
namespace {

std::vector<std::uint32_t> words(const random_block& bits) {
  return {bits.values[0], bits.values[1], bits.values[2], bits.values[3]};
}

/// The known answers that come with Random123 (Salmon et al., SC 2011).
TEST(philox, gives_the_published_answers) {
  constexpr std::uint32_t ones = 0xFFFFFFFF;
  EXPECT_EQ((std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                        0x9b00dbd8}),
            words(philox(0, 0, 0, 0, 0, 0)));
  EXPECT_EQ((std::vector<std::uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                                        0x6d5451fd}),
            words(philox(ones, ones, ones, ones, ones, ones)));
  EXPECT_EQ((std::vector<std::uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420,
                                        0x24126ea1}),
            words(philox(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344,
                         0xa4093822, 0x299f31d0)));
}

TEST(philox, takes_keys_and_counters_lowest_word_first) {
  EXPECT_EQ(
    words(philox(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822,
                 0x299f31d0)),
    words(draw({0x299f31d0a4093822}, 0x85a308d3243f6a88, 0x0370734413198a2e)));
}

TEST(random_key, differs_in_each_of_its_parts) {
  const auto key = make_random_key(1, 2, 3).value;
  EXPECT_EQ(key, make_random_key(1, 2, 3).value);
  EXPECT_NE(key, make_random_key(2, 2, 3).value);
  EXPECT_NE(key, make_random_key(1, 3, 3).value);
  EXPECT_NE(key, make_random_key(1, 2, 4).value);
  EXPECT_NE(key, make_random_key(1, 3, 2).value);
  EXPECT_NE(make_random_key(1, "a").value, make_random_key(1, "b").value);
  EXPECT_NE(make_random_key(1, "a").value, make_random_key(2, "a").value);
}

op_call normal(std::int64_t count, double deviation) {
  return [=](operations& ops, const tensor_list&) {
    auto y = ops.make({dtype::f32, {count}});
    ops.fill_normal(y, deviation, {77});
    return tensor_list{y};
  };
}

op_call uniform(std::int64_t count, double bound) {
  return [=](operations& ops, const tensor_list&) {
    auto y = ops.make({dtype::f32, {count}});
    ops.fill_uniform(y, bound, {77});
    return tensor_list{y};
  };
}

TEST(initial_values, are_the_reference_s_exactly) {
  for (const auto count : {0, 1, 7, 16385, 40001}) {
    check_op({}, normal(count, 0.02), {});
    check_op({}, uniform(count, 0.5), {});
  }
}

TEST(initial_values, normal_has_its_mean_and_deviation) {
  double sum = 0;
  double squares = 0;
  for (const auto value : values_of(on_cpu(1, {}, normal(100000, 2))[0])) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(0, sum / 100000, 0.03);
  EXPECT_NEAR(4, squares / 100000, 0.08);
}

TEST(initial_values, uniform_fills_its_range) {
  double least = 0;
  double most = 0;
  double sum = 0;
  for (const auto value : values_of(on_cpu(1, {}, uniform(100000, 0.5))[0])) {
    least = std::min(least, value);
    most = std::max(most, value);
    sum += value;
  }
  EXPECT_NEAR(-0.5, least, 1e-3);
  EXPECT_NEAR(0.5, most, 1e-3);
  EXPECT_LE(most, 0.5);
  EXPECT_NEAR(0, sum / 100000, 0.01);
}

TEST(initial_values, of_a_longer_tensor_begin_as_those_of_a_shorter) {
  const auto few = on_cpu(1, {}, normal(9, 1))[0];
  const auto many = on_cpu(1, {}, normal(1000, 1))[0];
  expect_same_bits(few, many.rows(0, 9));
}

} // namespace
} // namespace actorpipe::test
