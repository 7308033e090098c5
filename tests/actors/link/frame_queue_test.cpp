// SPDX-License-Identifier: Apache-2.0
/// The order in which a link sends, and what it keeps.
#include "actors/link/frame_queue.hpp"

#include "tests/actors/link/link_samples.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {

namespace {

link_message bulk_of(std::int64_t bytes) {
  return make_message(shard{link_id()}, {byte_tensor(bytes)});
}

TEST(frame_queue, urgent_messages_go_first_in_their_order) {
  frame_queue queue;
  queue.push(bulk_of(10));
  queue.push(make_message(edge_header(1), {byte_tensor(10)}));
  queue.push(make_message(credit{}));
  EXPECT_TRUE(std::holds_alternative<edge_data>(queue.pop().header.message));
  EXPECT_TRUE(std::holds_alternative<credit>(queue.pop().header.message));
  EXPECT_TRUE(std::holds_alternative<shard>(queue.pop().header.message));
  EXPECT_TRUE(queue.empty());
}

TEST(frame_queue, an_urgent_message_waits_for_one_part_at_most) {
  frame_queue queue;
  queue.push(bulk_of(3 << 20));
  EXPECT_EQ(queue.pop().header.length, bulk_part_bytes);
  queue.push(make_message(edge_header(), {byte_tensor(4 << 20)}));
  const auto urgent = queue.pop();
  EXPECT_EQ(urgent.header.length, 4U << 20);
  const auto next = queue.pop();
  EXPECT_EQ(next.header.offset, bulk_part_bytes);
  EXPECT_FALSE(next.is_last);
  EXPECT_TRUE(queue.pop().is_last);
}

TEST(frame_queue, a_tensor_that_has_gone_is_released_before_the_next) {
  const auto account = std::make_shared<memory_account>("sent");
  const auto make = [&] {
    return tensor::make({dtype::u8, {100}}, make_pooled_host_allocator(),
                        account);
  };
  frame_queue queue;
  queue.push(make_message(shard{link_id()}, {make(), make()}));
  EXPECT_EQ(account->now_bytes(), 200);
  queue.pop();
  EXPECT_EQ(account->now_bytes(), 100);
  queue.pop();
  EXPECT_EQ(account->now_bytes(), 0);
}

} // namespace

} // namespace actorpipe::test
