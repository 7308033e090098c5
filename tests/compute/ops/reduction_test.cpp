// SPDX-License-Identifier: Apache-2.0
/// Sums: cpu against reference, and values that are not finite.
#include "op_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace actorpipe::test {
namespace {

tensor_list squares(operations& ops, const tensor_list& x) {
  auto y = ops.make({dtype::f64, {1}});
  ops.sum_of_squares(y, x[0]);
  return {y};
}

tensor_list columns(operations& ops, const tensor_list& x) {
  auto d_b = ops.make({x[0].element(), {x[0].extents().back()}});
  ops.fill(d_b, 1);
  ops.column_sum(d_b, x[0]);
  return {d_b};
}

TEST(sum_of_squares, matches_the_reference) {
  for (const std::int64_t n : {0, 1, 7, 13, 16, 33, 257, 16384, 16385, 50000})
    check_op({random_values({n}, 1)}, squares, {0, 1e-12});
}

TEST(sum_of_squares, does_not_overflow_in_the_element_s_type) {
  check_op({tensor::from({2}, std::vector<float>{1e30F, -1e30F})}, squares,
           {0, 1e-12});
}

TEST(sum_of_squares, is_not_finite_when_any_element_is_not) {
  for (const std::int64_t at : {0, 5, 16383, 16384, 20000})
    for (const float bad : {std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
      auto x = random_values({20001}, 1);
      x.data<float>()[at] = bad;
      EXPECT_FALSE(std::isfinite(values_of(on_cpu(2, {x}, squares)[0])[0]));
      EXPECT_FALSE(std::isfinite(values_of(on_reference({x}, squares)[0])[0]));
    }
}

TEST(column_sum, adds_to_what_is_there) {
  for (const auto& extents :
       {shape{1, 1}, shape{7, 13}, shape{13, 7}, shape{129, 64}, shape{9, 300},
        shape{1000, 65}, shape{2, 3, 17}, shape{0, 5}})
    check_op({random_values(extents, 1)}, columns, {1e-5, 1e-5});
}

} // namespace
} // namespace actorpipe::test
