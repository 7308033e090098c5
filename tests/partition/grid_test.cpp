// SPDX-License-Identifier: Apache-2.0
/// Grids of programs and of timelines.
#include "partition/grid.hpp"

#include "pipelines.hpp"
#include "tick_grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace actorpipe {
namespace {

using testing::chain_of;
using testing::durations;
using testing::programs;
using testing::trained;

std::string marked(const std::vector<program>& steps,
                   const pipeline_shape& shape) {
  return to_grid(steps, check(steps, shape).faults);
}

TEST(grid, has_a_row_for_each_device_and_a_column_for_each_position) {
  EXPECT_EQ(to_grid(trained(2, 2, schedule_kind::fill_drain)),
            "device 0 | 0F0 0F1 0B0 0B1 0U0\n"
            "device 1 | 1F0 1F1 1B0 1B1 1U0\n");
  EXPECT_EQ(to_grid({}), "");
}

TEST(grid, columns_are_as_wide_as_the_widest_action) {
  EXPECT_EQ(to_grid(programs({"0F0 0F10", "", "2F0"})), "device 0 | 0F0  0F10\n"
                                                        "device 1 |\n"
                                                        "device 2 | 2F0\n");
}

TEST(grid, a_fault_is_marked_below_its_action) {
  const auto steps =
    programs({"0F0 0F1 0B0 0B1 0U0", "1F0 1F1 1F0 1B0 1B1 1U0"});
  EXPECT_EQ(marked(steps, chain_of(2, 2)),
            "device 0 | 0F0 0F1 0B0 0B1 0U0\n"
            "device 1 | 1F0 1F1 1F0 1B0 1B1 1U0\n"
            "                   ^^^ 1F0 runs a second time, first at "
            "position 0\n");
}

TEST(grid, what_is_missing_at_the_end_is_marked_behind_it) {
  EXPECT_EQ(marked(programs({"0F0 0B0"}), chain_of(1, 1)),
            "device 0 | 0F0 0B0\n"
            "                   ^ 0U0 is missing\n");
}

TEST(grid, without_faults_is_whole) {
  const auto steps = trained(2, 9, schedule_kind::fill_drain);
  EXPECT_EQ(marked(steps, chain_of(2, 9)), to_grid(steps));
}

TEST(grid, of_a_long_program_shows_where_the_fault_is) {
  auto steps = trained(1, 50, schedule_kind::fill_drain);
  steps[0][60] = steps[0][59];
  const auto text = marked(steps, chain_of(1, 50));
  EXPECT_NE(text.find("device 0 | ... "), text.npos) << text;
  const auto mark = text.find('^');
  const auto row = text.substr(0, text.find('\n'));
  EXPECT_EQ(row.substr(mark - row.size() - 1, 3), "0B9") << text;
  EXPECT_LT(row.size(), 100U);
}

TEST(grid, of_many_devices_shows_those_with_a_fault) {
  auto steps = trained(40, 2, schedule_kind::fill_drain);
  steps[33].pop_back();
  const auto text = marked(steps, chain_of(40, 2));
  EXPECT_NE(text.find("device 33 |"), text.npos) << text;
  EXPECT_EQ(text.find("device 32 |"), text.npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 16 + 2);
}

TEST(tick_grid, draws_an_action_to_its_end) {
  const auto x = simulate(trained(2, 2, schedule_kind::fill_drain),
                          chain_of(2, 2), durations(2, 1, 2));
  EXPECT_EQ(testing::to_tick_grid(x, 1),
            "device 0 | 0F0 0F1  .   .   .  0B0 --- 0B1 ---\n"
            "device 1 |  .  1F0 1F1 1B0 --- 1B1 ---  .   .\n");
}

} // namespace
} // namespace actorpipe
