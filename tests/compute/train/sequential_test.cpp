// SPDX-License-Identifier: Apache-2.0
/// The plain loop: cuts, norms, failures, states and ties.
#include "compute/train/sequential.hpp"
#include "tests/support/test_models.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace actorpipe::test {

namespace {

/// A trainer with momentum, so that weights follow gradients smoothly.
class training : public testing::Test {
protected:
  sequential_trainer trainer_of(const model_spec& spec,
                                optimizer_kind kind = optimizer_kind::sgd) {
    optimizer_options options;
    options.kind = kind;
    options.momentum = 0.9;
    options.weight_decay = 0.1;
    source = build_model(spec, test_registry(failing));
    return {source, make_optimizer(options), make_reference_device("reference"),
            3};
  }

  static train_options with(std::int64_t micro_batches) {
    return {micro_batches, 0.01, 1.0};
  }

  /// Equal up to the order of additions.
  static void expect_close(const model_values& a, const model_values& b) {
    for (std::size_t i = 0; i < a.parameters.size(); ++i)
      expect_near(a.parameters[i].weight, b.parameters[i].weight, 2e-5,
                  "parameter " + std::to_string(i));
  }

  static void expect_same(const model_values& a, const model_values& b) {
    EXPECT_EQ(a.updates, b.updates);
    for (std::size_t i = 0; i < a.parameters.size(); ++i) {
      EXPECT_TRUE(same_bits(a.parameters[i].weight, b.parameters[i].weight));
      expect_same_bits(a.parameters[i].slots, b.parameters[i].slots, "slots");
    }
    for (std::size_t i = 0; i < a.states.size(); ++i)
      expect_same_bits(a.states[i], b.states[i], "states");
  }

  std::shared_ptr<const model> source;
  std::shared_ptr<std::atomic<failure>> failing =
    std::make_shared<std::atomic<failure>>(failure::none);
};

} // namespace

TEST_F(training, does_not_depend_on_the_number_of_micro_batches) {
  auto whole = trainer_of(make_gpt(small_gpt(0.2)));
  // Even, uneven, one sample each, and more than there are samples.
  for (const std::int64_t m : {2, 3, 5, 9}) {
    auto cut = trainer_of(make_gpt(small_gpt(0.2)));
    whole.set_values(cut.values());
    const auto a = whole.train(small_batch(5), 0, with(1));
    const auto b = cut.train(small_batch(5), 0, with(m));
    EXPECT_NEAR(a.loss, b.loss, 1e-6);
    EXPECT_NEAR(a.gradient_norm, b.gradient_norm, 1e-5);
    EXPECT_EQ(a.targets, b.targets);
    expect_close(whole.values(), cut.values());
  }
}

TEST_F(training, repeats_bit_for_bit) {
  auto a = trainer_of(make_gpt(small_gpt(0.2)));
  auto b = trainer_of(make_gpt(small_gpt(0.2)));
  for (std::int64_t step = 0; step < 3; ++step)
    EXPECT_EQ(a.train(small_batch(5), step, with(2)).loss,
              b.train(small_batch(5), step, with(2)).loss);
  expect_same(a.values(), b.values());
}

TEST_F(training, lowers_the_loss) {
  auto x = trainer_of(make_gpt(small_gpt()), optimizer_kind::adamw);
  const auto first = x.train(small_batch(4), 0, with(2)).loss;
  EXPECT_NEAR(first, std::log(11), 0.1);
  for (std::int64_t step = 1; step < 60; ++step)
    x.train(small_batch(4), step, with(2));
  EXPECT_LT(x.evaluate(small_batch(4), 2).loss, first / 2);
}

TEST_F(training, drops_other_elements_in_another_step) {
  auto a = trainer_of(make_gpt(small_gpt(0.5)));
  auto b = trainer_of(make_gpt(small_gpt(0.5)));
  EXPECT_NE(a.train(small_batch(4), 0, with(1)).loss,
            b.train(small_batch(4), 1, with(1)).loss);
}

TEST_F(training, divides_by_counted_targets_alone) {
  auto data = small_batch(4);
  auto x = trainer_of(make_gpt(small_gpt()));
  // All targets of two samples and some of a third are ignored.
  for (std::int64_t i = 0; i < 15; ++i)
    data.targets.data<std::int32_t>()[i] = -1;
  const auto before = x.values();
  const auto expected = x.train(data, 0, with(1));
  EXPECT_EQ(expected.targets, 4 * 6 - 15);
  const auto after = x.values();
  x.set_values(before);
  EXPECT_NEAR(x.train(data, 0, with(3)).loss, expected.loss, 1e-6);
  expect_close(x.values(), after);
}

TEST_F(training, with_no_target_that_counts_has_loss_and_gradient_zero) {
  auto data = small_batch(2);
  for (std::int64_t i = 0; i < data.targets.elements(); ++i)
    data.targets.data<std::int32_t>()[i] = -1;
  const auto got = trainer_of(make_gpt(small_gpt())).train(data, 0, with(2));
  EXPECT_EQ(got.targets, 0);
  EXPECT_EQ(got.loss, 0);
  EXPECT_EQ(got.gradient_norm, 0);
}

TEST_F(training, clips_by_the_global_norm) {
  auto x = trainer_of(make_gpt(small_gpt()));
  const auto got = x.train(small_batch(4), 0, {1, 0.01, 0.001});
  EXPECT_GT(got.gradient_norm, 0.001);
  EXPECT_DOUBLE_EQ(got.clip_factor, 0.001 / got.gradient_norm);
}

TEST_F(training, that_fails_leaves_everything_unchanged) {
  auto spec = perceptron_with_state();
  spec.layers.insert(spec.layers.begin() + 2, {"fail", "planted", {}, {}});
  auto x = trainer_of(spec);
  auto never_failed = trainer_of(spec);
  const auto data = perceptron_batch(4);
  for (const auto what : {failure::forward, failure::backward}) {
    *failing = what;
    try {
      x.train(data, 0, with(2));
      FAIL() << "accepted";
    } catch (const layer_error& error) {
      EXPECT_EQ(error.layer(), 2U);
      EXPECT_EQ(error.name(), "planted");
    }
  }
  *failing = failure::not_finite;
  try {
    x.train(data, 4, with(2));
    FAIL() << "accepted";
  } catch (const not_finite_error& error) {
    EXPECT_STREQ(error.what(), "step 4: the loss is nan");
  }
  try {
    x.evaluate(data, 2);
    FAIL() << "accepted";
  } catch (const not_finite_error& error) {
    EXPECT_STREQ(error.what(),
                 "evaluation: the loss of micro-batch 0 is not finite");
  }
  *failing = failure::none;
  expect_same(x.values(), never_failed.values());
  EXPECT_EQ(x.train(data, 0, with(2)).loss,
            never_failed.train(data, 0, with(2)).loss);
  expect_same(x.values(), never_failed.values());
}

TEST_F(training, names_what_is_not_finite) {
  auto x = trainer_of(perceptron_with_state());
  auto values = x.values();
  // Finite logits, but the gradient of the first weights overflows.
  values.parameters[2].weight = tensor::zeros({dtype::f32, {4, 5}});
  values.parameters[2].weight.data<float>()[0] = 3e38F;
  values.parameters[2].weight.data<float>()[5] = -3e38F;
  values.parameters[0].weight = tensor::zeros({dtype::f32, {5, 3}});
  values.states[1][0] = tensor::zeros({dtype::f32, {5}});
  values.parameters[1].weight = tensor::zeros({dtype::f32, {5}});
  x.set_values(values);
  try {
    x.train({{tensor::from({1, 3}, std::vector<float>{10, 10, 10})},
             tensor::from({1}, std::vector<std::int32_t>{2})},
            7, with(1));
    FAIL() << "accepted";
  } catch (const not_finite_error& error) {
    EXPECT_STREQ(error.what(),
                 "step 7: the gradient of first.weight is not finite");
  }
}

TEST_F(training, that_does_not_fit_is_refused) {
  auto x = trainer_of(make_gpt(small_gpt()));
  batch data{{random_tokens({2, 7}, 11, 1)}, random_tokens({2, 7}, 11, 2)};
  EXPECT_THROW(x.train(data, 0, with(1)), model_error);
  data = small_batch(2);
  data.targets = random_tokens({2, 5}, 11, 2);
  EXPECT_THROW(x.train(data, 0, with(1)), model_error);
  EXPECT_EQ(x.values().updates, 0);
}

TEST_F(training, commits_state_once_for_the_whole_mini_batch) {
  auto whole = trainer_of(perceptron_with_state());
  auto cut = trainer_of(perceptron_with_state());
  const auto start = whole.values().states[1][0];
  EXPECT_EQ(at(start, 0), 0.25);
  whole.train(perceptron_batch(5), 0, with(1));
  cut.train(perceptron_batch(5), 0, with(3));
  EXPECT_FALSE(same_bits(whole.values().states[1][0], start));
  expect_near(cut.values().states[1][0], whole.values().states[1][0], 1e-6,
              "mean");
}

TEST_F(training, evaluation_changes_nothing) {
  auto x = trainer_of(perceptron_with_state());
  const auto before = x.values();
  const auto data = perceptron_batch(5);
  EXPECT_NEAR(x.evaluate(data, 1).loss, x.evaluate(data, 3).loss, 1e-6);
  x.infer(data.inputs);
  expect_same(x.values(), before);
}

TEST_F(training, infers_the_logits_that_the_loss_is_of) {
  auto x = trainer_of(perceptron_with_state());
  const auto data = perceptron_batch(3);
  const auto logits = x.infer(data.inputs).at(0);
  double sum = 0;
  for (std::int64_t b = 0; b < 3; ++b) {
    double total = 0;
    for (std::int64_t v = 0; v < 4; ++v)
      total += std::exp(at(logits, 4 * b + v));
    sum += std::log(total)
         - at(logits, 4 * b + data.targets.data<std::int32_t>()[b]);
  }
  EXPECT_NEAR(x.evaluate(data, 1).loss, sum / 3, 1e-6);
}

TEST_F(training, tied_weights_stay_one) {
  auto x = trainer_of(make_gpt(small_gpt(0, true)));
  x.train(small_batch(4), 0, with(2));
  const auto w = gather_weights(*source, x.values());
  EXPECT_EQ(w.front().parameters[0].bytes(), w.back().parameters[0].bytes());
  EXPECT_EQ(x.values().parameters.size(), source->parameters().size());
}

TEST_F(training, starts_from_values_that_depend_on_names_and_seed) {
  const auto a = trainer_of(make_gpt(small_gpt())).values();
  const auto b = trainer_of(make_gpt(small_gpt(0, true))).values();
  // Another model, the same names: the same values.
  for (std::size_t i = 0; i < b.parameters.size(); ++i)
    EXPECT_TRUE(same_bits(a.parameters[i].weight, b.parameters[i].weight));
  EXPECT_FALSE(same_bits(a.parameters[4].weight, a.parameters[16].weight));
}

} // namespace actorpipe::test
