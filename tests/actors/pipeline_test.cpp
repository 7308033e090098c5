// SPDX-License-Identifier: Apache-2.0
/// A pipeline behind its functions: what it refuses, and what it gives.
#include "partition/make_plan.hpp"
#include "tests/support/line_options.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {
namespace {

class pipeline_test : public ::testing::Test {
protected:
  static line_case mixed_case(const arrangement& how) {
    line_case result;
    result.source = build_model(mixed_model(), pipeline_registry());
    result.rule.kind = optimizer_kind::adam;
    result.how = how;
    result.like = perceptron_batch(1);
    return result;
  }

  static batch data(std::int64_t step, std::int64_t samples = 7) {
    return perceptron_batch(samples, static_cast<std::uint64_t>(step) + 1);
  }

  static train_request request(std::int64_t step) { return {step, 0.05, 1}; }

  template <class Error, class F>
  static std::string message_of(F make) {
    try {
      make();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

  std::string refusal(pipeline_options options) {
    return message_of<std::invalid_argument>(
      [&] { pipeline line(system_, std::move(options)); });
  }

  // One step of both; they must agree.
  void train_both(pipeline& line, sequential_trainer& plain,
                  const line_case& what, std::int64_t step) {
    const auto report = line.train(data(step), request(step));
    const auto result =
      plain.train(data(step), step, as_options(request(step), what));
    EXPECT_EQ(report.loss, result.loss);
    EXPECT_EQ(report.gradient_norm, result.gradient_norm);
    EXPECT_EQ(report.clip_factor, result.clip_factor);
    EXPECT_EQ(report.targets, result.targets);
    EXPECT_EQ(report.updates, plain.values().updates);
    EXPECT_TRUE(same_values(*what.source, line.values(), plain.values()));
  }

  configured config_;
  caf::actor_system system_{config_};
};

TEST_F(pipeline_test, refuses_a_system_that_was_not_configured) {
  caf::actor_system_config plain;
  caf::actor_system without{plain};
  const auto what = message_of<std::invalid_argument>([&] {
    pipeline line(without, options_of(mixed_case({2, 2, 7})));
  });
  EXPECT_NE(what.find("actorpipe::configure"), std::string::npos) << what;
}

TEST_F(pipeline_test, refuses_options_that_do_not_fit_each_other) {
  const auto good = options_of(mixed_case({2, 2, 7}));
  EXPECT_EQ(refusal(good), "nothing was thrown");
  auto bad = good;
  bad.source = nullptr;
  EXPECT_EQ(refusal(bad), "a pipeline needs a model");
  bad = good;
  bad.devices.pop_back();
  EXPECT_EQ(refusal(bad), "the plan has 2 devices and 1 were given");
  bad = good;
  bad.source = build_model(perceptron_with_state(), pipeline_registry());
  EXPECT_EQ(refusal(bad), "the plan cuts 10 layers and the model has 3");
  bad = good;
  bad.how.micro_batch_samples = 0;
  EXPECT_NE(refusal(bad).find("at least one sample"), std::string::npos);
  bad = good;
  bad.optimizer.epsilon = -1;
  EXPECT_NE(refusal(bad), "nothing was thrown");
}

TEST_F(pipeline_test, refuses_a_faulty_plan) {
  auto bad = options_of(mixed_case({2, 2, 7}));
  std::swap(bad.how.programs[0].front(), bad.how.programs[0].back());
  EXPECT_THROW(pipeline(system_, bad), plan_error);
  EXPECT_THROW(pipeline(system_,
                        [&] {
                          auto none = bad;
                          none.how = {};
                          return none;
                        }()),
               std::invalid_argument);
}

TEST_F(pipeline_test, a_model_without_layers_has_a_loss) {
  line_case what;
  what.source = build_model({{}, {"softmax_cross_entropy", "", {}, {}}},
                            pipeline_registry());
  what.how = {1, 2, 7};
  what.like = {{random_tensor({dtype::f32, {7, 4}}, 1)},
               random_tokens({7}, 4, 1)};
  auto options = options_of(mixed_case({1, 2, 7}));
  options.source = what.source;
  options.how.cut = {0, 0};
  options.how.edges[0].bytes = 4 * 4 * sizeof(float);
  pipeline line(system_, options);
  auto plain = plain_loop(what);
  EXPECT_EQ(line.train(what.like, request(0)).loss,
            plain.train(what.like, 0, as_options(request(0), what)).loss);
  EXPECT_EQ(line.evaluate(what.like).updates, 1);
}

TEST_F(pipeline_test, trains_as_the_plain_loop) {
  const auto what = mixed_case({3, 4, 7, schedule_kind::one_f_one_b});
  pipeline line(system_, options_of(what));
  auto plain = plain_loop(what);
  for (std::int64_t step = 0; step < 5; ++step)
    train_both(line, plain, what, step);
}

TEST_F(pipeline_test, makes_its_own_devices) {
  const auto what = mixed_case({2, 2, 7});
  auto options = options_of(what);
  options.devices.clear();
  options.threads_per_stage = 2;
  pipeline line(system_, options);
  sequential_trainer plain(what.source, make_optimizer(what.rule),
                           make_cpu_device("plain", 1), what.seed);
  train_both(line, plain, what, 0);
}

TEST_F(pipeline_test, runs_on_the_systems_own_threads) {
  const auto what = mixed_case({3, 4, 7});
  auto options = options_of(what);
  options.detached = false;
  pipeline line(system_, options);
  auto plain = plain_loop(what);
  train_both(line, plain, what, 0);
}

TEST_F(pipeline_test, two_live_in_one_system) {
  const auto one = mixed_case({2, 3, 7});
  auto two = mixed_case({4, 2, 7, schedule_kind::one_f_one_b});
  two.seed = 4;
  pipeline first(system_, options_of(one));
  pipeline second(system_, options_of(two));
  auto first_plain = plain_loop(one);
  auto second_plain = plain_loop(two);
  for (std::int64_t step = 0; step < 3; ++step) {
    train_both(first, first_plain, one, step);
    train_both(second, second_plain, two, step + 7);
  }
}

TEST_F(pipeline_test, evaluates_any_batch_at_any_time) {
  const auto what = mixed_case({3, 4, 7});
  pipeline line(system_, options_of(what));
  auto plain = plain_loop(what);
  const auto evaluate_both = [&] {
    for (const std::int64_t samples : {1, 2, 7, 8, 23}) {
      const auto some = data(99, samples);
      const std::int64_t M = std::max<std::int64_t>(4, (samples + 1) / 2);
      EXPECT_EQ(line.evaluate(some).loss, plain.evaluate(some, M).loss);
      EXPECT_EQ(line.evaluate(some, {23}).loss, plain.evaluate(some, 23).loss);
    }
  };
  evaluate_both();
  train_both(line, plain, what, 0);
  evaluate_both();
  train_both(line, plain, what, 1);
  evaluate_both();
  EXPECT_EQ(line.evaluate(data(0)).updates, 2);
}

TEST_F(pipeline_test, refuses_a_batch_that_does_not_fit_and_goes_on) {
  const auto what = mixed_case({2, 2, 8});
  pipeline line(system_, options_of(what));
  auto plain = plain_loop(what);
  train_both(line, plain, what, 0);
  EXPECT_EQ(
    message_of<pipeline_error>([&] { line.train(data(1, 9), request(1)); }),
    "a batch of 9 samples in 2 micro-batches has up to 5 samples each; "
    "the plan allows 4");
  EXPECT_THROW(line.train({}, request(1)), pipeline_error);
  EXPECT_THROW(line.evaluate(small_batch(2)), pipeline_error);
  train_both(line, plain, what, 1);
}

TEST_F(pipeline_test, an_exception_in_a_layer_fails_that_step_alone) {
  const auto wire = std::make_shared<trip_wire>();
  line_case what;
  what.source = build_model(tripping_model(3), pipeline_registry(wire));
  what.how = {3, 2, 7};
  what.like = perceptron_batch(1);
  pipeline line(system_, options_of(what));
  auto plain = plain_loop(what);
  train_both(line, plain, what, 0);
  wire->set(7);
  try {
    line.train(data(1), request(1));
    FAIL() << "nothing was thrown";
  } catch (const pipeline_error& error) {
    EXPECT_EQ(error.code(), error_code::layer_failed);
    const std::string text = error.what();
    EXPECT_NE(text.find("action"), std::string::npos) << text;
    EXPECT_NE(text.find("(trip"), std::string::npos) << text;
  }
  EXPECT_TRUE(same_values(*what.source, line.values(), plain.values()));
  train_both(line, plain, what, 1);
  train_both(line, plain, what, 2);
}

TEST_F(pipeline_test, a_value_that_is_not_finite_changes_nothing) {
  const auto what = mixed_case({3, 2, 7});
  pipeline line(system_, options_of(what));
  auto plain = plain_loop(what);
  auto wrong = data(0);
  wrong.inputs[0].data<float>()[20] = std::numeric_limits<float>::quiet_NaN();
  try {
    line.train(wrong, request(0));
    FAIL() << "nothing was thrown";
  } catch (const pipeline_error& error) {
    EXPECT_EQ(error.code(), error_code::not_finite);
  }
  train_both(line, plain, what, 0);
}

TEST_F(pipeline_test, values_move_to_another_cut) {
  const auto one = mixed_case({2, 3, 7});
  const auto two = mixed_case({5, 3, 7, schedule_kind::one_f_one_b});
  auto plain = plain_loop(one);
  model_values saved;
  {
    pipeline line(system_, options_of(one));
    for (std::int64_t step = 0; step < 3; ++step)
      train_both(line, plain, one, step);
    saved = line.values();
  }
  pipeline line(system_, options_of(two));
  line.set_values(saved);
  for (std::int64_t step = 3; step < 6; ++step)
    train_both(line, plain, two, step);
}

TEST_F(pipeline_test, values_can_be_set_back) {
  const auto what = mixed_case({3, 2, 7});
  pipeline line(system_, options_of(what));
  const auto first = line.values();
  line.train(data(0), request(0));
  line.train(data(1), request(1));
  line.set_values(first);
  auto plain = plain_loop(what);
  train_both(line, plain, what, 0);
}

TEST_F(pipeline_test, values_of_another_model_are_refused_and_do_no_harm) {
  const auto what = mixed_case({3, 2, 7});
  pipeline line(system_, options_of(what));
  auto plain = plain_loop(what);
  train_both(line, plain, what, 0);
  const auto refuses = [&](auto change) {
    auto wrong = line.values();
    wrong.updates = 9;
    change(wrong);
    EXPECT_THROW(line.set_values(wrong), std::invalid_argument);
  };
  refuses([](auto& x) { x = {}; });
  refuses([](auto& x) { x.parameters.pop_back(); });
  refuses([](auto& x) { x.parameters.back().weight = {}; });
  refuses([](auto& x) { std::swap(x.parameters[0], x.parameters[1]); });
  refuses([](auto& x) { x.parameters.back().slots.pop_back(); });
  refuses([](auto& x) { x.states[5].clear(); });
  refuses([](auto& x) { x.states[5][0] = tensor::zeros({dtype::f32, {6}}); });
  train_both(line, plain, what, 1);
}

TEST_F(pipeline_test, nothing_is_left_when_it_ends) {
  const auto what = mixed_case({3, 2, 7});
  auto options = options_of(what);
  const std::weak_ptr<device> where = options.devices[1];
  auto line = std::make_unique<pipeline>(system_, std::move(options));
  line->train(data(0), request(0));
  EXPECT_FALSE(where.expired());
  line.reset();
  EXPECT_TRUE(where.expired());
  EXPECT_EQ(what.source.use_count(), 1);
}

TEST_F(pipeline_test, memory_is_told_by_stage) {
  pipeline line(system_, options_of(mixed_case({3, 2, 7})));
  line.train(data(0), request(0));
  const auto peaks = line.peak_memory();
  ASSERT_EQ(peaks.size(), 3U);
  EXPECT_GT(peaks[1].activation_bytes, 0);
  EXPECT_GT(peaks[0].gradient_bytes, 0);
  EXPECT_GT(peaks[2].parameter_bytes, 0);
}

} // namespace
} // namespace actorpipe::test
