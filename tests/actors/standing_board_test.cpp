// SPDX-License-Identifier: Apache-2.0
/// A board says what a stage published last, and since when.
#include "actors/standing_board.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace actorpipe::test {
namespace {

using state = standing::state;

constexpr action first{0, action_kind::forward, 0};
const std::vector<missing> one_tensor{{missing::what::tensor, 1, false, 2}};
const std::vector<missing> one_credit{{missing::what::credit, 3, true, 4}};

TEST(standing_board, says_what_was_published_and_since_when) {
  std::int64_t now_ns = 100;
  standing_board board(4, [&] { return now_ns; });
  now_ns = 130;
  auto read = board.read();
  EXPECT_EQ(read.stage, 4U);
  EXPECT_EQ(read.how, state::idle);
  EXPECT_EQ(read.for_ns, 30);
  board.publish(state::waiting, {1, 2, 3}, first, 5, one_tensor);
  now_ns = 150;
  board.publish(state::waiting, {1, 2, 3}, first, 5, one_credit);
  read = board.read();
  EXPECT_EQ(read.for_ns, 20) << "the same wait";
  EXPECT_EQ(read.id, (work_id{1, 2, 3}));
  EXPECT_EQ(read.next, first);
  EXPECT_EQ(read.cursor, 5U);
  EXPECT_EQ(read.lacks, one_credit);
  board.publish(state::computing, {1, 2, 3}, first, 5, {});
  EXPECT_EQ(board.read().for_ns, 0);
  EXPECT_TRUE(board.read().lacks.empty());
  now_ns = 160;
  board.publish(state::computing, {1, 2, 3}, first, 6, {});
  EXPECT_EQ(board.read().for_ns, 0) << "another action";
  now_ns = 170;
  board.publish(state::computing, {1, 2, 4}, first, 6, {});
  EXPECT_EQ(board.read().for_ns, 0) << "another mini-batch";
}

// Of each reading all parts belong together.
TEST(standing_board, is_read_while_it_is_written) {
  standing_board board(0, [] { return std::int64_t{0}; });
  std::atomic<bool> done = false;
  std::jthread writer([&] {
    for (std::uint32_t i = 0; i < 20000; ++i)
      board.publish(state::waiting, {1, 1, i}, first, i,
                    std::vector<missing>(i % 5, one_tensor[0]));
    done = true;
  });
  while (!done) {
    const auto read = board.read();
    if (read.how == state::idle)
      continue;
    ASSERT_EQ(read.id.batch, read.cursor);
    ASSERT_EQ(read.lacks.size(), read.cursor % 5);
  }
}

} // namespace
} // namespace actorpipe::test
