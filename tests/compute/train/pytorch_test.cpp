// SPDX-License-Identifier: Apache-2.0
/// A small Transformer against PyTorch: logits, loss, gradients, training.
/// Tolerance: 1e-4 of 1 + the expected value, since we compute in 32 bits.
#include "compute/train/sequential.hpp"
#include "tests/support/reference_data.hpp"
#include "tests/support/test_tensors.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {

namespace {

constexpr double tolerance = 1e-4;

struct setup {
  setup(bool tied, const optimizer_options& options)
    : source(build_model(make_gpt(reference_gpt(tied)),
                         layer_registry::with_builtin())),
      trainer(source, make_optimizer(options),
              make_reference_device("reference"), 1) {
    trainer.set_values(reference_values(*source, trainer.values()));
  }

  std::shared_ptr<const model> source;
  sequential_trainer trainer;
};

tensor expected(const nlohmann::json& numbers, const shape& extents) {
  return tensor::from(extents, numbers.get<std::vector<double>>());
}

/// With plain descent at rate 1, weights fall by their gradient.
tensor gradient(const model_values& before, const model_values& after,
                std::size_t i) {
  auto result = tensor::zeros(before.parameters[i].weight.type());
  for (std::int64_t j = 0; j < result.elements(); ++j)
    result.data<float>()[j] = before.parameters[i].weight.data<float>()[j]
                            - after.parameters[i].weight.data<float>()[j];
  return result;
}

void expect_pass(bool tied, const std::string& file) {
  const auto reference = read_reference(file);
  setup x(tied, {});
  const auto data = reference_batch();
  expect_near(x.trainer.infer(data.inputs).at(0),
              expected(reference.at("logits"), {5, 8, 13}), tolerance,
              "logits");
  const auto before = x.trainer.values();
  EXPECT_NEAR(x.trainer.train(data, 0, {3, 1.0, 0}).loss,
              reference.at("loss").get<double>(), tolerance);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < x.source->parameters().size(); ++i) {
    const auto& declared = x.source->parameters()[i].declaration;
    if (!reference.at("gradients").contains(declared.name))
      continue;
    expect_near(
      gradient(before, x.trainer.values(), i),
      expected(reference["gradients"][declared.name], declared.extents),
      tolerance, declared.name);
    ++compared;
  }
  EXPECT_EQ(compared, reference.at("gradients").size());
}

void expect_training(const std::string& name, bool tied,
                     const optimizer_options& options, double rate,
                     double max_norm) {
  const auto reference = read_reference("training.json").at(name);
  setup x(tied, options);
  for (std::int64_t step = 0; step < 10; ++step) {
    const auto at = static_cast<std::size_t>(step);
    const auto got =
      x.trainer.train(reference_batch(), step, {2, rate, max_norm});
    EXPECT_NEAR(got.loss, reference.at("losses").at(at).get<double>(),
                tolerance)
      << "step " << step;
    EXPECT_NEAR(got.gradient_norm, reference.at("norms").at(at).get<double>(),
                10 * tolerance)
      << "step " << step;
  }
}

optimizer_options adamw() {
  optimizer_options result;
  result.kind = optimizer_kind::adamw;
  result.weight_decay = 0.1;
  return result;
}

} // namespace

TEST(pytorch, has_the_same_logits_loss_and_gradients) {
  expect_pass(false, "transformer.json");
}

TEST(pytorch, has_the_same_gradient_of_a_tied_table) {
  expect_pass(true, "transformer_tied.json");
}

TEST(pytorch, trains_the_same_with_momentum_and_clipping) {
  optimizer_options sgd;
  sgd.momentum = 0.9;
  sgd.weight_decay = 0.01;
  expect_training("sgd", false, sgd, 0.1, 1.0);
}

TEST(pytorch, trains_the_same_with_adamw_and_clipping) {
  expect_training("adamw", false, adamw(), 0.01, 0.5);
}

TEST(pytorch, trains_the_same_with_tied_weights) {
  expect_training("adamw_tied", true, adamw(), 0.01, 0.5);
}

} // namespace actorpipe::test
