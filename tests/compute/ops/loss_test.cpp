// SPDX-License-Identifier: Apache-2.0
/// Cross entropy: cpu against reference, ignored and bad targets.
#include "op_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace actorpipe::test {
namespace {

constexpr std::int32_t ignored = -100;

tensor_list forward(operations& ops, const tensor_list& x) {
  auto loss = ops.make({dtype::f64, {1}});
  auto log_sum_exp = ops.make({x[0].element(), {x[0].extents().rows()}});
  ops.cross_entropy_forward(loss, log_sum_exp, x[0], x[1], ignored);
  return {loss, log_sum_exp};
}

tensor_list backward(operations& ops, const tensor_list& x) {
  auto d_logits = ops.make(x[0].type());
  ops.cross_entropy_backward(d_logits, x[0], forward(ops, x)[1], x[1], ignored,
                             0.125);
  return {d_logits};
}

/// logits, targets with every fifth ignored
tensor_list inputs_of(const shape& extents, double scale = 3) {
  auto targets = random_integers({extents.rows()}, 2,
                                 static_cast<std::int32_t>(extents.back()));
  for (std::int64_t n = 4; n < extents.rows(); n += 5)
    targets.data<std::int32_t>()[n] = ignored;
  return {random_values(extents, 1, scale), targets};
}

const std::vector<shape> shapes{
  {1, 1}, {7, 13}, {129, 256}, {300, 257}, {5000, 64}};

TEST(cross_entropy, forward_matches_the_reference) {
  for (const auto& extents : shapes)
    check_op(inputs_of(extents), forward, {1e-6, 1e-6});
}

TEST(cross_entropy, backward_matches_the_reference) {
  for (const auto& extents : shapes)
    check_op(inputs_of(extents), backward, {1e-7, 2e-6});
}

TEST(cross_entropy, bears_large_logits) {
  check_op(inputs_of({7, 13}, 1e5), forward, {1e-2, 1e-6});
}

TEST(cross_entropy, of_even_logits_is_the_logarithm_of_their_number) {
  const auto logits = tensor::zeros({dtype::f32, {2, 8}});
  const auto targets = tensor::from({2}, std::vector<std::int32_t>{0, 7});
  EXPECT_NEAR(values_of(on_cpu(1, {logits, targets}, forward)[0])[0],
              2 * std::log(8.0), 1e-6);
}

TEST(cross_entropy, has_no_gradient_in_ignored_rows_and_none_in_sum) {
  const auto d = values_of(on_cpu(1, inputs_of({5, 9}), backward)[0]);
  for (std::size_t n = 0; n < 5; ++n)
    EXPECT_NEAR(
      std::accumulate(d.begin() + n * 9, d.begin() + (n + 1) * 9, 0.0), 0,
      1e-7);
  EXPECT_EQ(std::vector<double>(9, 0.0),
            std::vector<double>(d.begin() + 36, d.end()));
}

TEST(cross_entropy, names_a_target_without_a_class) {
  auto inputs = inputs_of({3, 4});
  inputs[1].data<std::int32_t>()[2] = 4;
  for (const auto& run :
       {std::function(on_reference),
        std::function([](const tensor_list&x, const op_call&call) {
          return on_cpu(2, x, call);
        })})
    try {
      run(inputs, forward);
      FAIL() << "took target 4";
    } catch (const std::out_of_range& error) {
      EXPECT_STREQ("target 4 of row 2 is not in [0, 4), the classes",
                   error.what());
    }
}

TEST(cross_entropy, is_not_finite_when_a_logit_is_not) {
  auto inputs = inputs_of({3, 4});
  inputs[0].data<float>()[5] = std::nanf("");
  EXPECT_TRUE(std::isnan(values_of(on_cpu(1, inputs, forward)[0])[0]));
  inputs[0].data<float>()[5] = -std::nanf("");
  EXPECT_TRUE(std::isnan(values_of(on_cpu(1, inputs, forward)[0])[0]));
  inputs[0].data<float>()[5] = INFINITY;
  EXPECT_FALSE(std::isfinite(values_of(on_cpu(1, inputs, forward)[0])[0]));
}

} // namespace
} // namespace actorpipe::test
