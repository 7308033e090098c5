// SPDX-License-Identifier: Apache-2.0
/// The schedules, against the tables of their headers.
#include "partition/schedule.hpp"

#include "pipelines.hpp"
#include "tick_grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace actorpipe {
namespace {

using testing::sizes;

std::string ticks(schedule_kind kind, std::uint32_t cells,
                  std::uint32_t micro_batches) {
  return testing::to_tick_grid(
    simulate(testing::trained(cells, micro_batches, kind),
             testing::chain_of(cells, micro_batches),
             testing::durations(cells, 1, 1)),
    1);
}

std::string first_program(schedule_kind kind, recompute_mode mode) {
  return to_string(testing::trained(3, 3, kind, mode)[0]);
}

TEST(schedule, fill_drain_runs_as_drawn) {
  EXPECT_EQ(ticks(schedule_kind::fill_drain, 3, 3),
            "device 0 | 0F0 0F1 0F2  .   .   .   .  0B0 0B1 0B2\n"
            "device 1 |  .  1F0 1F1 1F2  .   .  1B0 1B1 1B2  .\n"
            "device 2 |  .   .  2F0 2F1 2F2 2B0 2B1 2B2  .   .\n");
}

TEST(schedule, fill_drain_reverse_runs_as_drawn) {
  EXPECT_EQ(ticks(schedule_kind::fill_drain_reverse, 3, 3),
            "device 0 | 0F0 0F1 0F2  .   .   .   .  0B2 0B1 0B0\n"
            "device 1 |  .  1F0 1F1 1F2  .   .  1B2 1B1 1B0  .\n"
            "device 2 |  .   .  2F0 2F1 2F2 2B2 2B1 2B0  .   .\n");
}

TEST(schedule, one_f_one_b_runs_as_drawn) {
  EXPECT_EQ(ticks(schedule_kind::one_f_one_b, 3, 4),
            "device 0 | 0F0 0F1 0F2  .   .  0B0 0F3 0B1  .  0B2  .  0B3\n"
            "device 1 |  .  1F0 1F1  .  1B0 1F2 1B1 1F3 1B2  .  1B3  .\n"
            "device 2 |  .   .  2F0 2B0 2F1 2B1 2F2 2B2 2F3 2B3  .   .\n");
}

// Micro-batch i is on stage j at tick i + j.
TEST(schedule, fill_follows_the_clock_of_the_paper) {
  const auto run =
    simulate(make_evaluation_programs(sizes(3, 3)),
             {{0, 1, 2}, testing::chain_of(3, 3).edges, 3, false},
             testing::durations(3, 1, 1));
  std::string table;
  for (int tick = 0; tick < 5; ++tick) {
    table += tick == 0 ? "" : " |";
    for (const auto& row : run.timeline)
      for (const auto& step : row)
        if (step.start_s == tick)
          table += ' ' + to_string(step.what);
  }
  EXPECT_EQ(table, " 0F0 | 0F1 1F0 | 0F2 1F1 2F0 | 1F2 2F1 | 2F2");
  EXPECT_EQ(run.makespan_s, 3 + 3 - 1);
}

TEST(schedule, recompute_never_runs_each_forward_once) {
  EXPECT_EQ(first_program(schedule_kind::fill_drain, recompute_mode::never),
            "0F0 0F1 0F2 0B0 0B1 0B2 0U0");
}

TEST(schedule, except_one_keeps_the_first_that_turns_around) {
  const auto mode = recompute_mode::except_one;
  EXPECT_EQ(first_program(schedule_kind::fill_drain, mode),
            "0F0 0F1 0F2 0B0 0R1 0B1 0R2 0B2 0U0");
  EXPECT_EQ(first_program(schedule_kind::fill_drain_reverse, mode),
            "0F0 0F1 0F2 0B2 0R1 0B1 0R0 0B0 0U0");
  EXPECT_EQ(first_program(schedule_kind::one_f_one_b, mode),
            "0F0 0F1 0F2 0B0 0R1 0B1 0R2 0B2 0U0");
}

TEST(schedule, always_recomputes_all_but_a_fresh_forward) {
  const auto mode = recompute_mode::always;
  EXPECT_EQ(first_program(schedule_kind::fill_drain, mode),
            "0F0 0F1 0F2 0R0 0B0 0R1 0B1 0R2 0B2 0U0");
  EXPECT_EQ(first_program(schedule_kind::fill_drain_reverse, mode),
            "0F0 0F1 0F2 0B2 0R1 0B1 0R0 0B0 0U0");
}

TEST(schedule, last_cell_of_one_f_one_b_never_recomputes) {
  for (const auto mode : all_recompute_modes)
    EXPECT_EQ(
      to_string(testing::trained(3, 2, schedule_kind::one_f_one_b, mode)[2]),
      "2F0 2B0 2F1 2B1 2U0");
}

TEST(schedule, one_micro_batch_never_recomputes) {
  for (const auto kind : all_schedules)
    for (const auto mode : all_recompute_modes)
      EXPECT_EQ(to_string(testing::trained(2, 1, kind, mode)[0]),
                "0F0 0B0 0U0");
}

// 2M always, 2M - 1 except one, M never.
TEST(schedule, forward_runs_per_step) {
  const auto runs = [](recompute_mode mode) {
    const auto steps =
      testing::trained(4, 8, schedule_kind::fill_drain, mode)[1];
    return std::count_if(steps.begin(), steps.end(), [](const action& x) {
      return x.kind == action_kind::forward || x.kind == action_kind::recompute;
    });
  };
  EXPECT_EQ(runs(recompute_mode::always), 16);
  EXPECT_EQ(runs(recompute_mode::except_one), 15);
  EXPECT_EQ(runs(recompute_mode::never), 8);
}

TEST(schedule, evaluation_runs_forwards_in_order) {
  EXPECT_EQ(make_evaluation_programs(sizes(2, 3)),
            testing::programs({"0F0 0F1 0F2", "1F0 1F1 1F2"}));
}

TEST(schedule, cells_may_lie_on_any_device) {
  auto options = sizes(2, 1);
  options.device_of_cell = {1, 0};
  EXPECT_EQ(make_training_programs(options),
            testing::programs({"1F0 1B0 1U0", "0F0 0B0 0U0"}));
}

TEST(schedule, sizes_without_meaning_are_refused) {
  auto several = sizes(3, 2);
  several.device_of_cell = {0, 1, 0};
  auto beyond = sizes(2, 2);
  beyond.device_of_cell = {0, 2};
  for (const auto& bad : {sizes(0, 2), sizes(2, 0), several, beyond}) {
    EXPECT_THROW(make_training_programs(bad), std::invalid_argument);
    EXPECT_THROW(make_evaluation_programs(bad), std::invalid_argument);
  }
}

TEST(schedule, names_parse_back) {
  for (const auto kind : all_schedules)
    EXPECT_EQ(parse_schedule(to_string(kind)), kind);
  for (const auto mode : all_recompute_modes)
    EXPECT_EQ(parse_recompute(to_string(mode)), mode);
  EXPECT_EQ(to_string(schedule_kind::one_f_one_b), "1f1b");
  EXPECT_FALSE(parse_schedule("gpipe"));
  EXPECT_FALSE(parse_recompute("except_last"));
}

} // namespace
} // namespace actorpipe
