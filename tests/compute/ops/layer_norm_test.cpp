// SPDX-License-Identifier: Apache-2.0
/// Layer normalisation: cpu against reference, and its defining property.
#include "op_check.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {
namespace {

constexpr double epsilon = 1e-5;

const std::vector<shape> shapes{{1, 1},   {3, 7},    {13, 16},   {5, 17},
                                {2, 129}, {257, 64}, {70, 1027}, {2, 3, 20}};

tensor_list forward(operations& ops, const tensor_list& x) {
  const shape rows{x[0].extents().rows()};
  auto y = ops.make(x[0].type());
  auto mean = ops.make({x[0].element(), rows});
  auto rstd = ops.make({x[0].element(), rows});
  ops.layer_norm_forward(y, mean, rstd, x[0], x[1], x[2], epsilon);
  return {y, mean, rstd};
}

tensor_list backward(operations& ops, const tensor_list& x) {
  const auto saved = forward(ops, x);
  auto d_x = ops.make(x[0].type());
  ops.layer_norm_backward_input(d_x, x[3], x[0], saved[1], saved[2], x[1]);
  auto d_gamma = ops.make(x[1].type());
  auto d_beta = ops.make(x[2].type());
  ops.fill(d_gamma, 2);
  ops.fill(d_beta, 3);
  ops.layer_norm_backward_weight(d_gamma, d_beta, x[3], x[0], saved[1],
                                 saved[2]);
  return {d_x, d_gamma, d_beta};
}

/// x, gamma, beta, d_y
tensor_list inputs_of(const shape& extents) {
  return {random_values(extents, 1, 2), random_values({extents.back()}, 2),
          random_values({extents.back()}, 3), random_values(extents, 4)};
}

TEST(layer_norm, forward_matches_the_reference) {
  for (const auto& extents : shapes)
    check_op(inputs_of(extents), forward, {2e-5, 1e-5});
}

TEST(layer_norm, backward_matches_the_reference) {
  for (const auto& extents : shapes)
    check_op(inputs_of(extents), backward, {2e-4, 1e-4});
}

TEST(layer_norm, rows_have_mean_zero_and_variance_one) {
  auto inputs = inputs_of({1, 64});
  inputs[1] = tensor::from({64}, std::vector<float>(64, 1.F));
  inputs[2] = tensor::zeros({dtype::f32, {64}});
  const auto y = values_of(on_cpu(1, inputs, forward)[0]);
  double sum = 0;
  double squares = 0;
  for (const auto value : y) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum, 0, 1e-5);
  EXPECT_NEAR(squares / 64, 1, 1e-4);
}

TEST(layer_norm, of_a_row_far_from_zero_keeps_its_digits) {
  std::vector<float> values(64);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 1000.F + static_cast<float>(i % 2);
  auto inputs = inputs_of({1, 64});
  inputs[0] = tensor::from({1, 64}, values);
  check_op(inputs, forward, {1e-4, 1e-4});
}

} // namespace
} // namespace actorpipe::test
