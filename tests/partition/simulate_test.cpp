// SPDX-License-Identifier: Apache-2.0
/// Simulated steps, against the closed forms of the literature.
#include "partition/simulate.hpp"

#include "partition/check.hpp"
#include "pipelines.hpp"
#include "tick_grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace actorpipe {
namespace {

using testing::chain;
using testing::chain_of;
using testing::durations;
using testing::programs;
using testing::trained;

simulation run(schedule_kind kind, std::uint32_t cells, std::uint32_t m,
               double forward_s = 1, double backward_s = 2) {
  return simulate(trained(cells, m, kind), chain_of(cells, m),
                  durations(cells, forward_s, backward_s));
}

// K - 1 over v * M + K - 1, with v chunks a device.
double bubble(double devices, double m, double chunks = 1) {
  return (devices - 1) / (chunks * m + devices - 1);
}

TEST(simulate, bubble_of_fill_drain_is_that_of_the_paper) {
  for (const auto kind :
       {schedule_kind::fill_drain, schedule_kind::fill_drain_reverse})
    for (std::uint32_t cells = 1; cells <= 8; ++cells)
      for (std::uint32_t m = 1; m <= 16; ++m)
        EXPECT_NEAR(run(kind, cells, m).bubble_fraction, bubble(cells, m),
                    1e-12);
}

TEST(simulate, bubble_of_one_f_one_b_is_the_same) {
  for (std::uint32_t cells = 1; cells <= 8; ++cells)
    for (std::uint32_t m = 1; m <= 16; ++m)
      EXPECT_NEAR(run(schedule_kind::one_f_one_b, cells, m).bubble_fraction,
                  bubble(cells, m), 1e-12);
}

TEST(simulate, bubble_time_is_cells_less_one_times_forward_and_backward) {
  for (const auto kind : all_schedules) {
    const auto x = run(kind, 4, 8, 1, 3);
    EXPECT_DOUBLE_EQ(x.makespan_s - x.busy_s[0], 3 * (1 + 3));
  }
}

// M K / (M + K - 1), over two cells and one micro-batch.
TEST(simulate, ideal_speed_up) {
  const auto step_s = [](std::uint32_t cells, std::uint32_t m) {
    return run(schedule_kind::fill_drain, cells, m, 1.0 / cells / m,
               2.0 / cells / m)
      .makespan_s;
  };
  const auto speed_up = [&](std::uint32_t cells, std::uint32_t m) {
    return std::round(100 * step_s(2, 1) / step_s(cells, m)) / 100;
  };
  EXPECT_EQ(speed_up(2, 1), 1);
  EXPECT_EQ(speed_up(2, 4), 1.60);
  EXPECT_EQ(speed_up(2, 32), 1.94);
  EXPECT_EQ(speed_up(4, 1), 1);
  EXPECT_EQ(speed_up(4, 4), 2.29);
  EXPECT_EQ(speed_up(4, 32), 3.66);
  EXPECT_EQ(speed_up(8, 1), 1);
  EXPECT_EQ(speed_up(8, 4), 2.91);
  EXPECT_EQ(speed_up(8, 32), 6.56);
}

TEST(simulate, interleaved_chunks_divide_the_bubble) {
  for (const std::uint32_t chunks : {1U, 2U, 4U}) {
    const auto steps = testing::interleaved(4, chunks, 8);
    const auto shape = chain(steps.device_of_cell, 8);
    const auto x = simulate(steps.programs, shape, durations(4 * chunks, 1, 2));
    EXPECT_NEAR(x.bubble_fraction, bubble(4, 8, chunks), 1e-12);
    EXPECT_EQ(check(steps.programs, shape).stash[0].micro_batches,
              chunks * 4 + 4 - 1);
  }
}

TEST(simulate, looped_chunks_divide_the_bubble) {
  const auto steps = testing::looped(4, 2, 8);
  const auto shape = chain(steps.device_of_cell, 8, 8);
  EXPECT_NEAR(
    simulate(steps.programs, shape, durations(8, 1, 2)).bubble_fraction,
    bubble(4, 8, 2), 1e-12);
  EXPECT_EQ(check(steps.programs, shape).stash[0].micro_batches, 2U * 8);
}

// (K - 1) (F + I - W): a third of that of 1F1B where all take the same.
TEST(simulate, zero_bubble_h1_keeps_a_third_of_the_bubble) {
  const auto steps = testing::zero_bubble_h1(4, 8);
  const auto x = simulate(steps, chain_of(4, 8), durations(4, 1, 2));
  EXPECT_DOUBLE_EQ(x.makespan_s - x.busy_s[0], 3 * (1 + 1 - 1));
  for (const auto& stash : check(steps, chain_of(4, 8)).stash)
    EXPECT_EQ(stash.micro_batches, 4U);
}

TEST(simulate, a_recompute_does_not_wait_for_the_gradient) {
  const auto steps =
    trained(2, 2, schedule_kind::fill_drain, recompute_mode::always);
  EXPECT_EQ(testing::to_tick_grid(
              simulate(steps, chain_of(2, 2), durations(2, 1, 2)), 1),
            "device 0 | 0F0 0F1 0R0  .   .   .  0B0 --- 0R1 0B1 ---\n"
            "device 1 |  .  1F0 1F1 1R0 1B0 --- 1R1 1B1 ---  .   .\n");
}

TEST(simulate, latency_delays_the_reader_alone) {
  auto options = durations(2, 1, 1);
  options.latency_s = {0, 0.5, 0};
  const auto x =
    simulate(programs({"0F0 0B0 0U0", "1F0 1B0 1U0"}), chain_of(2, 1), options);
  EXPECT_EQ(x.timeline[1][0].start_s, 1.5);
  EXPECT_EQ(x.timeline[0][1].start_s, 4);
  EXPECT_EQ(x.makespan_s, 5);
  EXPECT_EQ(x.busy_s[0], 2);
  EXPECT_EQ(x.bubble_fraction, 1 - 4.0 / 10);
}

TEST(simulate, one_credit_holds_back_a_fast_writer) {
  auto options = durations(2, 1, 1);
  options.durations[1].forward_s = 10;
  const auto third_s = [&](std::uint32_t credits) {
    return simulate(trained(2, 3, schedule_kind::fill_drain),
                    chain_of(2, 3, credits), options)
      .timeline[0][2]
      .start_s;
  };
  EXPECT_EQ(third_s(2), 2);
  EXPECT_EQ(third_s(1), 11);
}

TEST(simulate, a_feed_with_latency_refills_as_credits_return) {
  auto options = durations(1, 1, 1);
  options.latency_s = {5, 0};
  const auto x =
    simulate(programs({"0F0 0F1 0B0 0B1 0U0"}), chain_of(1, 2, 1), options);
  EXPECT_EQ(x.timeline[0][0].start_s, 5);
  EXPECT_EQ(x.timeline[0][1].start_s, 10);
}

TEST(simulate, an_update_runs_in_its_place_or_behind_the_barrier) {
  auto options = durations(2, 1, 1);
  for (auto& x : options.durations)
    x.update_s = 2;
  const auto steps = trained(2, 1, schedule_kind::fill_drain);
  const auto free = simulate(steps, chain_of(2, 1), options);
  EXPECT_EQ(free.timeline[1].back().start_s, 3);
  options.update_barrier = true;
  const auto held = simulate(steps, chain_of(2, 1), options);
  EXPECT_EQ(held.timeline[1].back().start_s, 4);
  EXPECT_EQ(held.makespan_s, 6);
}

TEST(simulate, updates_behind_the_barrier_follow_each_other) {
  auto options = durations(2, 1, 1);
  for (auto& x : options.durations)
    x.update_s = 2;
  options.update_barrier = true;
  const auto x =
    simulate(programs({"0F0 1F0 1B0 0B0 0U0 1U0"}), chain({0, 0}, 1), options);
  EXPECT_EQ(x.timeline[0][4].start_s, 4);
  EXPECT_EQ(x.timeline[0][5].start_s, 6);
  EXPECT_EQ(x.makespan_s, 8);
}

TEST(simulate, an_update_between_other_actions_takes_its_time) {
  auto options = durations(2, 1, 1);
  options.durations[1].update_s = 3;
  const auto steps = programs({"0F0 1F0 1B0 1U0 0B0 0U0"});
  const auto x = simulate(steps, chain({0, 0}, 1), options);
  EXPECT_EQ(x.timeline[0][4].start_s, 6);
  EXPECT_EQ(x.bubble_fraction, 0);
  options.update_barrier = true;
  EXPECT_THROW(simulate(steps, chain({0, 0}, 1), options),
               std::invalid_argument);
}

TEST(simulate, programs_and_options_have_to_fit) {
  const auto steps = trained(2, 2, schedule_kind::fill_drain);
  auto latencies = durations(2, 1, 1);
  latencies.latency_s = {0};
  EXPECT_THROW(simulate(steps, chain_of(2, 2), durations(1, 1, 1)),
               std::invalid_argument);
  EXPECT_THROW(simulate(steps, chain_of(2, 2), latencies),
               std::invalid_argument);
  EXPECT_THROW(simulate(steps, chain_of(2, 3), durations(2, 1, 1)),
               std::invalid_argument);
}

} // namespace
} // namespace actorpipe
