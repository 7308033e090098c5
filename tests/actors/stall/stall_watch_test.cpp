// SPDX-License-Identifier: Apache-2.0
/// When a pipeline counts as stalled, and when no longer.
#include "actors/stall/stall_watch.hpp"

#include "stall_bench.hpp"
#include "tests/support/text.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <string>

namespace actorpipe::test {
namespace {

using enum standing::state;

class stall_watch_test : public ::testing::Test, protected stall_bench {
protected:
  stall_watch_test() {
    put(0, waiting, "0B0", {gradient(1, 0)});
    put(1, computing, "1F1");
    put(2, waiting, "2F1", {activation(2, 1)});
  }

  // Such as "stalled 10", "over 12", or nothing.
  std::string look_at(std::int64_t seconds) {
    now.now_ns = seconds * second_ns;
    const auto event = watch_.look(now);
    if (!event)
      return "";
    return text(event->is_over ? "over " : "stalled ",
                event->quiet_ns / second_ns);
  }

  // Looks until it is stalled.
  void stall() {
    look_at(0);
    ASSERT_EQ(look_at(10), "stalled 10");
  }

  stall_watch watch_{how, {10 * second_ns, 0}};
};

TEST_F(stall_watch_test, a_stall_is_told_once) {
  EXPECT_EQ(look_at(100), "");
  EXPECT_EQ(look_at(109), "");
  EXPECT_EQ(look_at(110), "stalled 10");
  EXPECT_EQ(look_at(130), "");
  EXPECT_EQ(watch_.quiet_ns(), 30 * second_ns);
}

// The documentation quotes it.
TEST_F(stall_watch_test, says_what_the_example_shows) {
  now.silent_ns.assign(3, second_ns / 5);
  watch_.look(now);
  now.now_ns = 10 * second_ns;
  const auto event = watch_.look(now);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->report.causes.front().what, stall_cause::kind::computing);
  std::ifstream file(ACTORPIPE_SOURCE_DIR
                     "/tests/actors/stall/stall_example.txt");
  const std::string example{std::istreambuf_iterator(file), {}};
  EXPECT_EQ(event->text + '\n', example);
}

TEST_F(stall_watch_test, an_action_ends_a_stall) {
  stall();
  put(1, waiting, "1B0", {gradient(2, 0)});
  EXPECT_EQ(look_at(13), "over 13");
  EXPECT_EQ(look_at(22), "");
  EXPECT_EQ(look_at(23), "stalled 10");
}

TEST_F(stall_watch_test, the_end_of_the_request_ends_a_stall) {
  stall();
  now.request = 0;
  EXPECT_EQ(look_at(13), "over 13");
  EXPECT_EQ(look_at(99), "");
  EXPECT_EQ(watch_.quiet_ns(), 0);
}

TEST_F(stall_watch_test, says_how_long_nothing_had_advanced) {
  stall();
  put_done(1);
  now.now_ns = 13 * second_ns;
  EXPECT_EQ(watch_.look(now)->text,
            "the pipeline goes on; nothing had advanced for 13.0 s");
}

TEST_F(stall_watch_test, each_of_these_is_an_advance) {
  look_at(0);
  now.stages[0].id.batch = 6;
  EXPECT_EQ(look_at(10), "");
  now.stages[0].how = computing;
  EXPECT_EQ(look_at(20), "");
  now.stages[0].cursor = 7;
  EXPECT_EQ(look_at(30), "");
  now.stages[0].next.micro_batch = 3;
  EXPECT_EQ(look_at(40), "");
  now.awaited_cells = {1};
  EXPECT_EQ(look_at(50), "");
  now.request = 2;
  EXPECT_EQ(look_at(60), "");
  EXPECT_EQ(look_at(70), "stalled 10");
}

TEST_F(stall_watch_test, a_heartbeat_is_no_advance) {
  look_at(0);
  now.stages[0].for_ns += 10 * second_ns;
  now.silent_ns = {1, 2, 3};
  EXPECT_EQ(look_at(10), "stalled 10");
}

TEST_F(stall_watch_test, without_a_request_nothing_is_stalled) {
  now.request = 0;
  look_at(0);
  EXPECT_EQ(look_at(100), "");
  now.request = std::nullopt;
  for (std::uint32_t s = 0; s < 3; ++s)
    put_done(s);
  EXPECT_EQ(look_at(101), "");
  EXPECT_EQ(look_at(200), "");
}

TEST_F(stall_watch_test, a_stage_at_work_stands_for_a_request) {
  now.request = std::nullopt;
  look_at(0);
  EXPECT_EQ(look_at(10), "stalled 10");
}

TEST_F(stall_watch_test, stages_that_are_done_stall_with_a_request) {
  for (std::uint32_t s = 0; s < 3; ++s)
    put_done(s);
  look_at(0);
  EXPECT_EQ(look_at(10), "stalled 10");
}

TEST(stall_limit, is_four_planned_steps_if_that_is_longer) {
  EXPECT_EQ(stall_limit_ns(10, 1e-9), 10);
  EXPECT_EQ(stall_limit_ns(10, 5), 20'000'000'000);
  EXPECT_EQ(stall_limit_ns(10, std::numeric_limits<double>::infinity()), 10);
  EXPECT_EQ(stall_limit_ns(10, std::numeric_limits<double>::quiet_NaN()), 10);
}

} // namespace
} // namespace actorpipe::test
