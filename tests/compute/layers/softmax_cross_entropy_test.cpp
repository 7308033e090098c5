// SPDX-License-Identifier: Apache-2.0
/// The loss: its value, its gradient, what it ignores and refuses.
#include "compute/layers/layer_registry.hpp"
#include "tests/support/gradient_check.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace actorpipe::test {

namespace {

class cross_entropy : public testing::Test {
protected:
  static std::unique_ptr<loss_function>
  make(std::map<std::string, spec_value> values = {}) {
    return layer_registry::with_builtin().make_loss(
      {"softmax_cross_entropy", "", std::move(values), {}});
  }

  double sum_of_losses(const tensor& logits, const tensor& targets) {
    saved_state saved;
    return *loss->forward(bench.ctx, {logits}, targets, saved).data<double>();
  }

  static tensor classes(const shape& extents, std::vector<std::int32_t> xs) {
    return tensor::from(extents, xs);
  }

  std::string refusal(const tensor_type& logits, const tensor_type& targets) {
    try {
      loss->check({logits}, targets);
    } catch (const model_error& error) {
      return error.what();
    }
    return "no error";
  }

  std::unique_ptr<loss_function> loss = make();
  layer_bench bench{make_reference_device("reference")};
};

} // namespace

TEST_F(cross_entropy, of_equal_logits_is_the_logarithm_of_their_number) {
  EXPECT_NEAR(
    sum_of_losses(tensor::zeros({dtype::f32, {2, 5}}), classes({2}, {0, 4})),
    2 * std::log(5), 1e-6);
}

TEST_F(cross_entropy, gradient_equals_central_differences) {
  for (const auto& extents : {shape{4, 5}, shape{2, 2, 5}}) {
    const auto logits = random_tensor({dtype::f64, extents}, 1, 3);
    const auto targets = classes(
      shape(extents.extents().first(extents.rank() - 1)), {3, -1, 0, 4});
    saved_state saved;
    loss->forward(bench.ctx, {logits}, targets, saved);
    const auto d_logits = loss->backward(bench.ctx, 7, saved).at(0);
    EXPECT_TRUE(saved.tensors.empty());
    expect_near(d_logits,
                central_differences(
                  logits, [&] { return sum_of_losses(logits, targets) / 7; }),
                1e-8, "logits");
  }
}

TEST_F(cross_entropy, ignored_targets_add_nothing) {
  const auto logits = random_tensor({dtype::f32, {3, 5}}, 1);
  EXPECT_EQ(sum_of_losses(logits, classes({3}, {2, -1, -1})),
            sum_of_losses(logits.rows(0, 1), classes({1}, {2})));
  EXPECT_EQ(loss->count(classes({3}, {2, -1, -1})), 1);
}

TEST_F(cross_entropy, another_target_can_be_the_ignored_one) {
  loss = make({{"ignored", std::int64_t{2}}});
  EXPECT_EQ(loss->count(classes({2, 2}, {2, 1, 0, 2})), 2);
}

TEST_F(cross_entropy, of_large_logits_is_finite) {
  const auto logits = tensor::from({1, 2}, std::vector<float>{1e4F, -1e4F});
  EXPECT_EQ(sum_of_losses(logits, classes({1}, {0})), 0);
  EXPECT_EQ(sum_of_losses(logits, classes({1}, {1})), 2e4);
}

TEST_F(cross_entropy, refuses_targets_that_do_not_fit) {
  EXPECT_EQ(refusal({dtype::f32, {2, 3, 5}}, {dtype::i32, {2, 3}}), "no error");
  EXPECT_EQ(refusal({dtype::f32, {2, 5}}, {dtype::i32, {2}}), "no error");
  EXPECT_EQ(refusal({dtype::f32, {2, 3, 5}}, {dtype::i32, {6}}),
            "takes targets i32[2, 3] for logits f32[2, 3, 5], got i32[6]");
  EXPECT_EQ(refusal({dtype::f32, {2, 5}}, {dtype::f32, {2}}),
            "takes targets i32[2] for logits f32[2, 5], got f32[2]");
  EXPECT_EQ(refusal({dtype::f32, {2}}, {dtype::i32, {2}}),
            "takes logits f32 or f64 [B, .., V], got f32[2]");
}

} // namespace actorpipe::test
