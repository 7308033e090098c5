// SPDX-License-Identifier: Apache-2.0
/// The rates of the schedules, and clipping.
#include "compute/optim/clip.hpp"
#include "compute/optim/learning_rate.hpp"

#include <gtest/gtest.h>

#include <array>

namespace actorpipe::test {

namespace {

/// Peak 2, floor 1, four steps of warm-up of 14.
double rate(learning_rate_kind kind, std::int64_t step) {
  return learning_rate({kind, 2, 1, 4, 14}, step);
}

} // namespace

TEST(learning_rate, rises_linearly_in_the_warm_up) {
  for (const auto kind :
       {learning_rate_kind::constant, learning_rate_kind::cosine,
        learning_rate_kind::linear}) {
    EXPECT_DOUBLE_EQ(rate(kind, 0), 0.5);
    EXPECT_DOUBLE_EQ(rate(kind, 3), 2);
    EXPECT_DOUBLE_EQ(rate(kind, 4), 2);
  }
}

TEST(learning_rate, is_half_way_in_the_middle) {
  EXPECT_DOUBLE_EQ(rate(learning_rate_kind::cosine, 9), 1.5);
  EXPECT_DOUBLE_EQ(rate(learning_rate_kind::linear, 9), 1.5);
  EXPECT_DOUBLE_EQ(rate(learning_rate_kind::constant, 9), 2);
}

TEST(learning_rate, falls_slower_at_first_along_a_cosine) {
  EXPECT_GT(rate(learning_rate_kind::cosine, 6),
            rate(learning_rate_kind::linear, 6));
}

TEST(learning_rate, stays_at_the_floor_after_the_end) {
  for (const std::int64_t step : {14, 15, 1000}) {
    EXPECT_DOUBLE_EQ(rate(learning_rate_kind::cosine, step), 1);
    EXPECT_DOUBLE_EQ(rate(learning_rate_kind::linear, step), 1);
    EXPECT_DOUBLE_EQ(rate(learning_rate_kind::constant, step), 2);
  }
}

TEST(learning_rate, has_no_warm_up_when_none_is_asked_for) {
  EXPECT_DOUBLE_EQ(learning_rate({learning_rate_kind::cosine, 2, 0, 0, 10}, 0),
                   2);
}

TEST(clip, norm_is_the_root_of_the_sums) {
  EXPECT_DOUBLE_EQ(global_norm(std::array{9.0, 16.0}), 5);
  EXPECT_DOUBLE_EQ(global_norm({}), 0);
}

TEST(clip, factor_brings_the_norm_to_the_limit) {
  EXPECT_DOUBLE_EQ(clip_factor(5, 2), 0.4);
  EXPECT_DOUBLE_EQ(clip_factor(2, 5), 1);
  EXPECT_DOUBLE_EQ(clip_factor(5, 0), 1);
}

} // namespace actorpipe::test
