// SPDX-License-Identifier: Apache-2.0
/// Every optimiser against PyTorch's numbers, and what it leaves alone.
#include "compute/device/device.hpp"
#include "compute/optim/optimizer.hpp"
#include "tests/support/reference_data.hpp"
#include "tests/support/test_tensors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace actorpipe::test {

namespace {

optimizer_options options_of(const std::string& name) {
  optimizer_options x;
  x.weight_decay = name == "sgd" || name == "sgd_nesterov" ? 0 : 0.3;
  x.momentum = name == "sgd_momentum" || name == "sgd_nesterov" ? 0.9 : 0;
  x.nesterov = name == "sgd_nesterov";
  x.alpha = 0.9;
  x.beta1 = 0.8;
  x.beta2 = 0.95;
  x.epsilon = 1e-6;
  if (name == "rmsprop")
    x.kind = optimizer_kind::rmsprop;
  else if (name == "adam")
    x.kind = optimizer_kind::adam;
  else if (name == "adamw")
    x.kind = optimizer_kind::adamw;
  return x;
}

class optimizers : public testing::TestWithParam<std::string> {
protected:
  parameter_value first() {
    parameter_value result{reference_tensor("w", {6}, 2.0), {}};
    for (std::size_t i = 0; i < how->slots().size(); ++i)
      result.slots.push_back(tensor::zeros({dtype::f32, {6}}));
    return result;
  }

  static tensor gradient(std::int64_t step) {
    return reference_tensor("gradient" + std::to_string(step), {6}, 3.0);
  }

  std::unique_ptr<optimizer> how = make_optimizer(options_of(GetParam()));
  std::unique_ptr<stream> on =
    make_reference_device("reference")
      ->make_stream(std::make_shared<memory_account>("test"));
};

} // namespace

TEST_P(optimizers, give_the_weights_of_pytorch_after_five_steps) {
  auto value = first();
  for (std::int64_t step = 0; step < 5; ++step)
    value =
      how->update(on->ops(), value, gradient(step), {0.1, 1, step + 1, true});
  const auto expected =
    read_reference("optimizers.json").at(GetParam()).get<std::vector<double>>();
  expect_near(value.weight, tensor::from({6}, expected), 2e-6, GetParam());
}

TEST_P(optimizers, leave_the_version_before_as_it_was) {
  const auto now = first();
  const auto next = how->update(on->ops(), now, gradient(0), {0.1, 1, 1, true});
  EXPECT_TRUE(same_bits(now.weight, first().weight));
  expect_same_bits(now.slots, first().slots, "slots");
  EXPECT_FALSE(same_bits(next.weight, now.weight));
}

TEST_P(optimizers, multiply_the_gradient_by_the_clip_factor) {
  auto halved = gradient(0);
  for (std::int64_t i = 0; i < halved.elements(); ++i)
    halved.data<float>()[i] /= 2;
  const auto a =
    how->update(on->ops(), first(), gradient(0), {0.1, 0.5, 1, true});
  const auto b = how->update(on->ops(), first(), halved, {0.1, 1, 1, true});
  EXPECT_TRUE(same_bits(a.weight, b.weight));
}

TEST_P(optimizers, do_not_decay_what_does_not_decay) {
  auto without = options_of(GetParam());
  without.weight_decay = 0;
  const auto a =
    how->update(on->ops(), first(), gradient(0), {0.1, 1, 1, false});
  const auto b = make_optimizer(without)->update(
    on->ops(), first(), gradient(0), {0.1, 1, 1, true});
  EXPECT_TRUE(same_bits(a.weight, b.weight));
}

INSTANTIATE_TEST_SUITE_P(every_kind, optimizers,
                         testing::Values<std::string>("sgd", "sgd_decay",
                                                      "sgd_momentum",
                                                      "sgd_nesterov", "rmsprop",
                                                      "adam", "adamw"),
                         [](const auto& one) { return one.param; });

namespace {

std::string refusal(const optimizer_options& options) {
  try {
    make_optimizer(options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

} // namespace

TEST(optimizer, numbers_out_of_range_are_refused) {
  optimizer_options x;
  x.momentum = 1;
  EXPECT_EQ(refusal(x),
            "optimizer: momentum must be at least 0 and below 1, got 1");
  x.momentum = 0;
  x.nesterov = true;
  EXPECT_EQ(refusal(x), "optimizer: nesterov needs a momentum above 0, got 0");
  x.kind = optimizer_kind::adam;
  x.beta2 = 1.5;
  EXPECT_EQ(refusal(x),
            "optimizer: beta2 must be at least 0 and below 1, got 1.5");
  x.kind = optimizer_kind::rmsprop;
  x.epsilon = 0;
  EXPECT_EQ(refusal(x), "optimizer: epsilon must be above 0 and finite, got 0");
  x.weight_decay = -1;
  EXPECT_EQ(refusal(x),
            "optimizer: weight_decay must be at least 0 and finite, got -1");
}

TEST(optimizer, numbers_that_leave_their_range_when_rounded_are_refused) {
  optimizer_options x;
  x.kind = optimizer_kind::adam;
  x.beta1 = 0.99999999;
  EXPECT_EQ(refusal(x),
            "optimizer: beta1 must be at least 0 and below 1, got 0.99999999, "
            "which is 1 in single precision");
  x.beta1 = 0.9999;
  EXPECT_EQ(refusal(x), "no error");
  x.epsilon = 1e-46;
  EXPECT_EQ(refusal(x),
            "optimizer: epsilon must be above 0 and finite, got 1e-46, which "
            "is 0 in single precision");
  x.epsilon = 1e-8;
  x.weight_decay = 1e39;
  EXPECT_EQ(refusal(x), "optimizer: weight_decay must be at least 0 and "
                        "finite, got 1e+39, which is inf in single precision");
}

TEST(optimizer, the_largest_betas_and_least_epsilon_give_finite_weights) {
  optimizer_options x;
  x.kind = optimizer_kind::adam;
  x.beta1 = std::nextafter(1.0F, 0.0F);
  x.beta2 = x.beta1;
  x.epsilon = std::numeric_limits<float>::denorm_min();
  const auto how = make_optimizer(x);
  for (const auto& where :
       {make_reference_device("reference"), make_cpu_device("cpu", 1)}) {
    const auto on =
      where->make_stream(std::make_shared<memory_account>("test"));
    const auto zeros = tensor::zeros({dtype::f32, {2}});
    const auto next =
      how->update(on->ops(), {zeros, {zeros, zeros}},
                  tensor::from({2}, std::vector<float>{0, 1}), {0.1, 1, 1});
    EXPECT_EQ(at(next.weight, 0), 0) << where->name();
    EXPECT_NEAR(at(next.weight, 1), -0.1, 1e-6) << where->name();
  }
}

TEST(optimizer, numbers_of_other_kinds_are_ignored) {
  optimizer_options x;
  x.beta1 = 7;
  EXPECT_EQ(refusal(x), "no error");
}

} // namespace actorpipe::test
