// SPDX-License-Identifier: Apache-2.0
/// The measured bubble.
#include "actors/bubble.hpp"

#include <gtest/gtest.h>

namespace actorpipe {
namespace {

action_record ran(std::int64_t start_ns, std::int64_t end_ns) {
  return {{}, 0, start_ns, end_ns};
}

TEST(timeline_test, nothing_has_no_bubble) {
  EXPECT_EQ(measured_bubble({}), 0);
  EXPECT_EQ(measured_bubble({{}, {}}), 0);
}

TEST(timeline_test, a_busy_stage_has_no_bubble) {
  EXPECT_EQ(measured_bubble({{ran(5, 7), ran(7, 10)}}), 0);
}

TEST(timeline_test, idle_time_counts_from_the_first_start_to_the_last_end) {
  EXPECT_DOUBLE_EQ(measured_bubble({{ran(5, 7)}, {ran(7, 9)}}), 0.5);
  EXPECT_DOUBLE_EQ(measured_bubble({{ran(0, 1), ran(3, 4)}}), 0.5);
}

TEST(timeline_test, a_stage_that_ran_nothing_is_idle) {
  EXPECT_DOUBLE_EQ(measured_bubble({{ran(0, 4)}, {}}), 0.5);
}

// M + K - 1 slots, K = 2 stages, M = 3 micro-batches (GPipe, section 2.3).
TEST(timeline_test, fill_and_drain_give_the_papers_bubble) {
  EXPECT_DOUBLE_EQ(measured_bubble({{ran(0, 1), ran(1, 2), ran(2, 3)},
                                    {ran(1, 2), ran(2, 3), ran(3, 4)}}),
                   0.25);
}

} // namespace
} // namespace actorpipe
