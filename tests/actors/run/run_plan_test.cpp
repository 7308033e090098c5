// SPDX-License-Identifier: Apache-2.0
/// The plan of a run: one cut whether or not times are measured, and peaks of
/// memory that the pipeline then has.
#include "actors/run/run_plan.hpp"

#include "tests/support/line_options.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace actorpipe::test {
namespace {

class run_plan_test : public testing::Test {
protected:
  static constexpr std::int64_t samples = 8;
  static constexpr std::int64_t sequence = 16;

  run_plan planned(bool measure = false) const {
    return make_run_plan(source_, {settings_, rule_, types_of(data_.inputs),
                                   data_.targets.type(), measure, replicates_});
  }

  static batch make_batch() {
    return {{tensor::from({samples, sequence},
                          std::vector<std::uint8_t>(samples * sequence, 7))},
            tensor::from({samples, sequence},
                         std::vector<std::int32_t>(samples * sequence, 9))};
  }

  static pipeline_config small_settings() {
    pipeline_config result;
    result.stages = 3;
    result.micro_batches = 4;
    return result;
  }

  void expect_peaks_within(double share) const {
    const auto plan = planned();
    configured config;
    caf::actor_system system{config};
    pipeline_options options;
    options.source = source_;
    options.optimizer = rule_;
    options.how = plan.how;
    pipeline line{system, options};
    for (std::int64_t step = 0; step < 2; ++step)
      line.train(data_, {step, 1e-3, 1.0});
    const auto peaks = line.peak_memory();
    ASSERT_EQ(peaks.size(), plan.stages.size());
    for (std::size_t i = 0; i < peaks.size(); ++i) {
      const auto& expected = plan.stages[i].peak;
      const auto actual = static_cast<double>(peaks[i].activation_bytes);
      EXPECT_NEAR(static_cast<double>(expected.activation_bytes) / actual, 1,
                  share);
      EXPECT_EQ(expected.gradient_bytes, peaks[i].gradient_bytes);
      EXPECT_EQ(expected.parameter_bytes, peaks[i].parameter_bytes);
    }
  }

  gpt_options gpt_{.vocabulary = 32,
                   .sequence = sequence,
                   .width = 32,
                   .depth = 3,
                   .heads = 2,
                   .dropout = 0.1};
  std::shared_ptr<const model> source_ =
    build_model(make_gpt(gpt_), layer_registry::with_builtin());
  batch data_ = make_batch();
  bool replicates_ = false;
  pipeline_config settings_ = small_settings();
  optimizer_options rule_{.kind = optimizer_kind::adamw};
};

TEST_F(run_plan_test, has_the_same_cut_when_times_are_measured_for_the_eye) {
  for (const auto kind : {balance_kind::estimate, balance_kind::variance}) {
    settings_.balance = kind;
    EXPECT_EQ(planned(true).how.cut, planned(false).how.cut);
  }
}

TEST_F(run_plan_test, says_whether_gradients_are_added_in_order) {
  EXPECT_TRUE(planned().gradients_in_order);
  settings_.schedule = schedule_kind::fill_drain_reverse;
  EXPECT_FALSE(planned().gradients_in_order);
  EXPECT_NE(to_text(planned()).find("not in micro-batch order"),
            std::string::npos);
}

TEST_F(run_plan_test, has_no_more_micro_batches_than_samples) {
  settings_.micro_batches = 1000;
  EXPECT_EQ(planned().how.micro_batches, samples);
  EXPECT_EQ(planned().how.micro_batch_samples, 1);
}

TEST_F(run_plan_test, predicts_the_peaks_of_every_recompute_mode) {
  for (const auto mode : {recompute_mode::always, recompute_mode::except_one,
                          recompute_mode::never})
    for (const auto kind :
         {schedule_kind::fill_drain, schedule_kind::one_f_one_b}) {
      settings_.recompute = mode;
      settings_.schedule = kind;
      expect_peaks_within(0.1);
    }
}

TEST_F(run_plan_test, counts_what_another_node_keeps_of_a_stage) {
  for (const auto& stage : planned().stages)
    EXPECT_EQ(stage.replica_bytes, 0);
  replicates_ = true;
  const auto plan = planned();
  for (const auto& stage : plan.stages) {
    std::int64_t parameters = 0;
    for (auto i = stage.first_layer; i < stage.last_layer; ++i)
      parameters += plan.layers[i].parameters;
    // AdamW: weights and two moments; two versions and one on its way.
    EXPECT_EQ(stage.replica_bytes, 3 * 3 * 4 * parameters);
  }
  EXPECT_NE(to_text(plan).find("replicas of stage 0"), std::string::npos);
}

TEST_F(run_plan_test, charges_tied_weights_to_their_owner_alone) {
  gpt_.tied = true;
  source_ = build_model(make_gpt(gpt_), layer_registry::with_builtin());
  expect_peaks_within(0.1);
}

} // namespace
} // namespace actorpipe::test
