// SPDX-License-Identifier: Apache-2.0
/// Plans: the cut, the edges and the programs together.
#include "partition/make_plan.hpp"

#include "partition/check.hpp"
#include "pipelines.hpp"

#include <gtest/gtest.h>

#include <string>

namespace actorpipe {
namespace {

class make_plan_test : public ::testing::Test {
protected:
  make_plan_test() {
    options_.layers = 5;
    options_.cells = 2;
    options_.costs = {1, 1, 1, 1, 4};
    for (int i = 0; i <= 5; ++i)
      options_.boundaries.push_back(
        {{"f32[2, " + std::to_string(i) + "]", 8 * i, true}});
    options_.targets = {{"i32[2]", 8, true}};
    options_.micro_batches = 3;
  }

  std::string message() {
    try {
      make_plan(options_);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  }

  bool says(const std::string& part) {
    return message().find(part) != std::string::npos;
  }

  plan_options options_;
};

TEST_F(make_plan_test, cuts_by_cost) {
  const auto x = make_plan(options_);
  EXPECT_EQ(x.cut, (std::vector<std::size_t>{0, 4, 5}));
  EXPECT_EQ(x.device_of_cell, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(x.cells(), 2U);
  EXPECT_EQ(x.devices(), 2U);
}

TEST_F(make_plan_test, cuts_by_hand_without_costs) {
  options_.balance = {2, 3};
  options_.costs.clear();
  EXPECT_EQ(make_plan(options_).cut, (std::vector<std::size_t>{0, 2, 5}));
}

TEST_F(make_plan_test, lays_an_edge_for_each_tensor_at_a_boundary) {
  options_.boundaries[4].push_back({"i32[2]", 8, false});
  options_.credits = 3;
  const std::vector<edge> edges{
    {edge::feed, 0, 0, false, false, "f32[2, 0]", 0, 3},
    {0, 1, 0, false, true, "f32[2, 4]", 32, 3},
    {0, 1, 1, false, false, "i32[2]", 8, 3},
    {edge::feed, 1, 0, true, false, "i32[2]", 8, 3},
  };
  EXPECT_EQ(make_plan(options_).edges, edges);
}

TEST_F(make_plan_test, numbers_inputs_and_targets_of_one_cell_apart) {
  options_.cells = 1;
  const auto edges = make_plan(options_).edges;
  ASSERT_EQ(edges.size(), 2U);
  EXPECT_EQ(edges[0].ordinal, 0U);
  EXPECT_EQ(edges[1].ordinal, 1U);
  EXPECT_TRUE(edges[1].is_target);
}

TEST_F(make_plan_test, writes_the_programs_of_the_schedule) {
  options_.schedule = schedule_kind::one_f_one_b;
  options_.recompute = recompute_mode::always;
  const auto x = make_plan(options_);
  EXPECT_EQ(x.programs,
            testing::programs({"0F0 0F1 0R0 0B0 0F2 0R1 0B1 0R2 0B2 0U0",
                               "1F0 1B0 1F1 1B1 1F2 1B2 1U0"}));
  EXPECT_EQ(x.schedule, schedule_kind::one_f_one_b);
  EXPECT_EQ(x.recompute, recompute_mode::always);
  EXPECT_EQ(x.micro_batches, 3U);
}

TEST_F(make_plan_test, plans_a_model_without_layers) {
  options_.layers = 0;
  options_.cells = 1;
  options_.costs.clear();
  options_.boundaries.resize(1);
  EXPECT_EQ(make_plan(options_).cut, (std::vector<std::size_t>{0, 0}));
}

TEST_F(make_plan_test, refuses_what_does_not_fit_with_both_numbers) {
  options_.cells = 9;
  EXPECT_TRUE(says("9 cells")) << message();
  EXPECT_TRUE(says("5 layers")) << message();
  options_.cells = 2;
  options_.balance = {2, 4};
  EXPECT_TRUE(says("has 6 layers, but the model has 5")) << message();
  options_.balance = {5};
  EXPECT_TRUE(says("2 entries")) << message();
  options_.balance.clear();
  options_.costs.pop_back();
  EXPECT_TRUE(says("5 costs")) << message();
  options_.costs.push_back(1);
  options_.boundaries.pop_back();
  EXPECT_TRUE(says("6 lists")) << message();
}

TEST_F(make_plan_test, refuses_no_micro_batches) {
  options_.micro_batches = 0;
  EXPECT_TRUE(says("at least one micro-batch")) << message();
}

TEST_F(make_plan_test, shows_programs_that_cannot_run) {
  options_.credits = 0;
  EXPECT_THROW(make_plan(options_), plan_error);
  EXPECT_TRUE(says("device 0, position 0: 0F0 waits for ever")) << message();
  EXPECT_TRUE(says("device 1 | 1F0 1F1 1F2 1B0")) << message();
  EXPECT_TRUE(says("^^^")) << message();
}

TEST_F(make_plan_test, a_plan_that_was_changed_can_be_checked_again) {
  auto x = make_plan(options_);
  EXPECT_NO_THROW(require_valid(x));
  x.programs[0].pop_back();
  EXPECT_THROW(require_valid(x), plan_error);
}

TEST_F(make_plan_test, a_plan_with_an_empty_cell_is_refused) {
  auto x = make_plan(options_);
  x.cut = {0, 5, 5};
  EXPECT_THROW(require_valid(x), std::invalid_argument);
  x.cut = {0, 5};
  EXPECT_THROW(require_valid(x), std::invalid_argument);
}

TEST_F(make_plan_test, a_plan_without_micro_batches_is_refused) {
  auto x = make_plan(options_);
  x.micro_batch_samples = 0;
  EXPECT_THROW(require_valid(x), plan_error);
  x = make_plan(options_);
  x.micro_batches = 0;
  x.programs = testing::programs({"0U0", "1U0"});
  EXPECT_THROW(require_valid(x), plan_error);
}

TEST_F(make_plan_test, a_plan_of_an_unknown_kind_is_refused) {
  auto x = make_plan(options_);
  x.schedule = static_cast<schedule_kind>(all_schedules.size());
  EXPECT_THROW(require_valid(x), plan_error);
  x = make_plan(options_);
  x.recompute = static_cast<recompute_mode>(all_recompute_modes.size());
  EXPECT_THROW(require_valid(x), plan_error);
}

TEST_F(make_plan_test, shows_the_first_of_many_faults) {
  options_.micro_batches = 20;
  auto x = make_plan(options_);
  x.programs[0].clear();
  try {
    require_valid(x);
    FAIL();
  } catch (const plan_error& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find("0F0 is missing"), what.npos) << what;
    EXPECT_NE(what.find("and 33 more"), what.npos) << what;
  }
}

// As large as the paper's largest pipeline.
TEST(make_plan_at_scale, plans_checks_and_simulates) {
  plan_options options;
  options.layers = 1663;
  options.cells = 128;
  options.micro_batches = 1024;
  for (std::size_t i = 0; i < options.layers; ++i)
    options.costs.push_back(1 + static_cast<double>(i * 7919 % 13));
  options.boundaries.assign(options.layers + 1, {{"f32[1]", 4, true}});
  options.schedule = schedule_kind::one_f_one_b;
  const auto x = make_plan(options);
  const auto run =
    simulate(x.programs, shape_of(x), testing::durations(128, 1, 2));
  EXPECT_EQ(check(x.programs, shape_of(x)).stash[0].micro_batches, 128U);
  // The bubble of the schedule, less what recomputes hide in it.
  EXPECT_LT(run.bubble_fraction, 127.0 / (1024 + 127));
  EXPECT_GT(run.bubble_fraction, 0.05);
}

} // namespace
} // namespace actorpipe
