// SPDX-License-Identifier: Apache-2.0
/// Which stages are named as stragglers.
#include "actors/stall/straggler_watch.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace actorpipe::test {
namespace {

class straggler_watch_test : public ::testing::Test {
protected:
  // The stage's backward takes twice its forward, as planned.
  static std::vector<action_record> ran(double forward_ms) {
    std::vector<action_record> result;
    std::int64_t now_ns = 0;
    for (const auto* what : {"0F0", "0F1", "0R0", "0B0", "0B1", "0U0"}) {
      action_record x{*parse_action(what), now_ns, now_ns + 7, 0};
      const auto is_back = x.what.kind == action_kind::backward;
      const auto ms = x.what.kind == action_kind::update ? 900
                    : is_back                            ? 2 * forward_ms
                                                         : forward_ms;
      now_ns = x.end_ns = x.start_ns + static_cast<std::int64_t>(1e6 * ms);
      result.push_back(x);
    }
    return result;
  }

  // One step; what is said, a bar after each line.
  std::string step(const std::vector<double>& forward_ms) {
    std::vector<std::vector<action_record>> timeline;
    for (const auto ms : forward_ms)
      timeline.push_back(ran(ms));
    std::string result;
    for (const auto& x : watch_.add(timeline))
      result += x + "|";
    return result;
  }

  straggler_watch watch_{std::vector<planned_times>(4, {0.005, 0.010})};
};

TEST_F(straggler_watch_test, is_named_after_three_steps_in_a_row) {
  EXPECT_EQ(step({5, 5, 5, 12}), "");
  EXPECT_EQ(step({5, 5, 5, 12}), "");
  EXPECT_EQ(step({5, 5, 5, 12}),
            "stage 3 took 2.4x its planned time in the last 3 steps: forward "
            "12.0 ms against 5.0 ms, backward 24.0 ms against 10.0 ms|");
  EXPECT_EQ(step({5, 5, 5, 12}), "");
}

TEST_F(straggler_watch_test, twice_is_enough_and_less_is_not) {
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(step({5, 9.9, 5, 5}), "");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(step({5, 10, 5, 5}), "");
  EXPECT_NE(step({5, 10, 5, 5}).find("stage 1 took 2.0x"), std::string::npos);
}

TEST_F(straggler_watch_test, a_step_that_keeps_up_begins_the_count_anew) {
  step({12, 5, 5, 5});
  step({12, 5, 5, 5});
  EXPECT_EQ(step({5, 5, 5, 5}), "");
  EXPECT_EQ(step({12, 5, 5, 5}), "");
  EXPECT_EQ(step({12, 5, 5, 5}), "");
  EXPECT_NE(step({12, 5, 5, 5}), "");
}

TEST_F(straggler_watch_test, is_named_again_once_it_has_recovered) {
  for (int i = 0; i < 5; ++i)
    step({12, 5, 5, 5});
  step({5, 5, 5, 5});
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(step({12, 5, 5, 5}), "") << "one step is no recovery";
  for (int i = 0; i < 3; ++i)
    step({5, 5, 5, 5});
  step({12, 5, 5, 5});
  step({12, 5, 5, 5});
  EXPECT_NE(step({12, 5, 5, 5}), "");
}

TEST_F(straggler_watch_test, planned_times_may_be_wrong_by_one_factor) {
  step({50, 50, 120, 50});
  step({50, 50, 120, 50});
  EXPECT_EQ(step({50, 50, 120, 50}),
            "stage 2 took 2.4x its planned time in the last 3 steps: forward "
            "120.0 ms against 50.0 ms, backward 240.0 ms against 100.0 ms|");
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(step({50, 50, 50, 50}), "");
}

TEST_F(straggler_watch_test, a_stage_is_compared_with_its_own_plan) {
  watch_ = straggler_watch({{0.005, 0.010}, {0.050, 0.100}});
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(step({5, 50}), "");
  step({10, 50});
  step({10, 50});
  EXPECT_NE(step({10, 50}).find("stage 0 took 2.0x"), std::string::npos);
}

TEST_F(straggler_watch_test, two_of_four_are_both_named) {
  step({5, 30, 5, 30});
  step({5, 30, 5, 30});
  const auto said = step({5, 30, 5, 30});
  EXPECT_NE(said.find("stage 1 took"), std::string::npos) << said;
  EXPECT_NE(said.find("stage 3 took"), std::string::npos) << said;
}

TEST_F(straggler_watch_test, halves_of_a_backward_count_as_one) {
  watch_ = straggler_watch({{0.001, 0.010}, {0.001, 0.010}});
  const auto half = [](const char* what, std::int64_t ms) {
    return action_record{*parse_action(what), 0, 0, ms * 10'000'000};
  };
  const std::vector<std::vector<action_record>> timeline{
    {half("0F0", 1), half("0I0", 5), half("0W0", 5)},
    {half("1F0", 1), half("1I0", 10), half("1W0", 20)}};
  watch_.add(timeline);
  watch_.add(timeline);
  EXPECT_EQ(watch_.add(timeline).at(0),
            "stage 1 took 2.8x its planned time in the last 3 steps: forward "
            "10.0 ms against 10.0 ms, backward 300.0 ms against 100.0 ms");
}

TEST_F(straggler_watch_test, a_few_milliseconds_are_not_worth_a_word) {
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(step({0.5, 0.5, 2.5, 0.5}), "");
}

TEST_F(straggler_watch_test, one_stage_alone_is_none) {
  watch_ = straggler_watch({{0.005, 0.010}});
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(step({500}), "");
}

TEST_F(straggler_watch_test, what_cannot_be_judged_counts_neither_way) {
  step({5, 5, 5, 12});
  step({5, 5, 5, 12});
  EXPECT_EQ(step({0, 5, 5, 12}), "");
  EXPECT_EQ(step({5, 12}), "");
  EXPECT_EQ(watch_.add({{}, {}, {}, {}}).size(), 0U);
  EXPECT_NE(step({5, 5, 5, 12}), "");
}

TEST_F(straggler_watch_test, a_plan_without_times_names_nobody) {
  watch_ = straggler_watch(std::vector<planned_times>(2));
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(step({5, 500}), "");
}

} // namespace
} // namespace actorpipe::test
