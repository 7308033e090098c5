// SPDX-License-Identifier: Apache-2.0
/// Messages over real sockets, in plain text and TLS.
#include "tests/actors/link/link_bench.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace actorpipe::test {

namespace {

/// In plain text (false) and with TLS (true).
class link : public testing::TestWithParam<bool> {
protected:
  static std::optional<tls_files> secure() {
    static const one_run_authority authority;
    static const auto files = authority.make("node");
    return GetParam() ? std::optional(files) : std::nullopt;
  }

  static std::shared_ptr<const link_contract> all_allowed() {
    return std::make_shared<sample_contract>(all_kinds());
  }

  static std::shared_ptr<const link_contract> bytes_up_to(std::int64_t most) {
    return std::make_shared<uniform_contract>(tensor_type{dtype::u8, {most}});
  }
};

INSTANTIATE_TEST_SUITE_P(plain_and_tls, link, testing::Bool());

TEST_P(link, carries_every_kind) {
  link_bench bench(all_allowed(), secure());
  for (const auto& sent : all_kinds()) {
    bench.sender->post(sent);
    expect_same(sent, bench.at_receiver.await_messages(1)[0]);
  }
  EXPECT_EQ(bench.at_sender.ends() + bench.at_receiver.ends(), 0U);
}

TEST_P(link, carries_many_large_messages_between_small_ones) {
  link_bench bench(bytes_up_to(5 << 20), secure());
  const auto large = byte_tensor((5 << 20) - 3);
  const auto small = byte_tensor(777);
  for (std::uint32_t i = 0; i < 20; ++i) {
    bench.sender->post(make_message(edge_header(i), {large}));
    bench.sender->post(make_message(shard{link_id()}, {large}));
    bench.sender->post(make_message(edge_header(100 + i), {small}));
  }
  std::uint32_t next = 0;
  for (const auto& x : bench.at_receiver.await_messages(60)) {
    if (const auto* head = std::get_if<edge_data>(&x.head)) {
      EXPECT_EQ(head->micro_batch, next);
      EXPECT_TRUE(same_bits(x.data.tensors[0], next < 100 ? large : small));
      next = next < 100 ? next + 100 : next - 99;
    } else {
      EXPECT_TRUE(same_bits(x.data.tensors[0], large));
    }
  }
}

TEST_P(link, carries_what_several_threads_post) {
  link_bench bench(bytes_up_to(4096), secure());
  constexpr std::uint32_t threads = 4, each = 500;
  {
    std::vector<std::jthread> posting;
    for (std::uint32_t t = 0; t < threads; ++t)
      posting.emplace_back([&, t] {
        for (std::uint32_t i = 0; i < each; ++i)
          bench.sender->post(
            make_message(edge_data{link_id(), i, t, false}, {byte_tensor(i)}));
      });
  }
  std::vector<std::uint32_t> next(threads, 0);
  for (const auto& x : bench.at_receiver.await_messages(threads * each)) {
    const auto& head = std::get<edge_data>(x.head);
    EXPECT_EQ(head.micro_batch, next[head.edge]++);
    EXPECT_TRUE(same_bits(x.data.tensors[0], byte_tensor(head.micro_batch)));
  }
}

TEST_P(link, queues_what_a_slow_receiver_does_not_take_and_no_more) {
  link_bench bench(bytes_up_to(1 << 20), secure());
  std::promise<void> may_go;
  const auto gate = may_go.get_future().share();
  bench.on_message = [gate](const link_message&) { gate.wait(); };
  constexpr std::uint64_t count = 40, size = 1 << 20;
  for (std::uint32_t i = 0; i < count; ++i)
    bench.sender->post(make_message(edge_header(i), {byte_tensor(size)}));
  EXPECT_LE(bench.sender->queued_bytes(), count * size);
  EXPECT_GT(bench.sender->queued_bytes(), 0U);
  // One is with `on_message`, and nothing else has been read.
  EXPECT_LE(bench.account->now_bytes(), std::int64_t{size});
  may_go.set_value();
  EXPECT_EQ(bench.at_receiver.await_messages(count).size(), count);
  EXPECT_TRUE(bench.sender->drain(std::chrono::hours{1}));
  EXPECT_EQ(bench.sender->queued_bytes(), 0U);
}

TEST_P(link, drains_before_it_is_destroyed_if_asked_to) {
  link_bench bench(bytes_up_to(1 << 20), secure());
  for (std::uint32_t i = 0; i < 30; ++i)
    bench.sender->post(make_message(edge_header(i), {byte_tensor(1 << 20)}));
  ASSERT_TRUE(bench.sender->drain(std::chrono::hours{1}));
  bench.sender.reset();
  EXPECT_EQ(bench.at_receiver.await_messages(30).size(), 30U);
  EXPECT_EQ(bench.at_receiver.await_end(), "the peer closed the connection");
}

TEST_P(link, reuses_the_memory_of_what_was_received) {
  link_bench bench(bytes_up_to(1 << 20), secure());
  const void* first = nullptr;
  for (std::uint32_t i = 0; i < 10; ++i) {
    bench.sender->post(make_message(edge_header(i), {byte_tensor(1 << 20)}));
    const auto came = bench.at_receiver.await_messages(1);
    const auto* const place = came[0].data.tensors[0].bytes();
    EXPECT_EQ(first == nullptr ? place : first, place);
    first = place;
  }
}

TEST_P(link, says_once_on_either_side_that_it_has_broken) {
  link_bench bench(bytes_up_to(1 << 20), secure());
  bench.receiver.reset();
  EXPECT_NE(bench.at_sender.await_end(), "");
  for (std::uint32_t i = 0; i < 100; ++i)
    bench.sender->post(make_message(edge_header(i), {byte_tensor(1 << 16)}));
  EXPECT_FALSE(bench.sender->drain(std::chrono::hours{1}));
  EXPECT_EQ(bench.sender->queued_bytes(), 0U);
  bench.sender.reset();
  EXPECT_EQ(bench.at_sender.ends(), 1U);
  EXPECT_EQ(bench.at_receiver.ends(), 0U); // its owner has ended it
}

TEST_P(link, breaks_on_both_sides_at_what_was_not_agreed_on) {
  link_bench bench(bytes_up_to(10), secure());
  bench.sender->post(make_message(edge_header(), {byte_tensor(11)}));
  EXPECT_EQ(bench.at_receiver.await_end(),
            "tensor 0 of the tensor of micro-batch 5 over edge 2 is u8[11], "
            "and at most u8[10] was agreed on");
  EXPECT_NE(bench.at_sender.await_end(), "");
  EXPECT_EQ(bench.at_receiver.messages(), 0U);
}

// Whatever either side is doing, its threads end.
TEST_P(link, can_be_destroyed_at_any_moment) {
  const auto large = byte_tensor(3 << 20);
  const auto small = byte_tensor(5);
  for (int round = 0; round < 40; ++round) {
    link_bench bench(bytes_up_to(3 << 20), secure());
    for (int i = 0; i < round; ++i)
      bench.sender->post(make_message(
        round % 2 == 0 ? link_header(edge_header()) : shard{link_id()},
        {i % 3 == 0 ? large : small}));
    if (round % 4 < 2)
      bench.receiver.reset();
    bench.sender.reset();
    EXPECT_LE(bench.at_sender.ends(), 1U);
  }
}

TEST_P(link, refuses_tensors_that_are_not_there) {
  link_bench bench(bytes_up_to(10), secure());
  EXPECT_THROW(bench.sender->post(make_message(edge_header(), {tensor{}})),
               std::invalid_argument);
  EXPECT_THROW(
    bench.sender->post(make_message(
      edge_header(),
      {tensor::make({dtype::u8, {3}}, make_counting_allocator(), nullptr)})),
    std::invalid_argument);
}

// -- faults on purpose --------------------------------------------------------

/// Does the given things to the first frames.
class script final : public link_disturbance {
public:
  explicit script(std::vector<frame_fault> faults)
    : faults_(std::move(faults)) {}

  frame_fault before(const frame_header&) override {
    const auto now = next_++;
    return now < faults_.size() ? faults_[now] : frame_fault{};
  }

private:
  std::vector<frame_fault> faults_;
  std::size_t next_ = 0;
};

std::shared_ptr<script> make_script(std::vector<frame_fault> faults) {
  return std::make_shared<script>(std::move(faults));
}

TEST_P(link, a_flipped_bit_is_noticed_wherever_it_is) {
  const auto bits = (frame_header_bytes + 50 + frame_sum_bytes) * 8;
  for (std::size_t bit = 0; bit < bits; bit += 37) {
    link_bench bench(bytes_up_to(50), secure(),
                     make_script({{}, {{}, false, bit}}));
    bench.sender->post(make_message(edge_header(1), {byte_tensor(50)}));
    bench.sender->post(make_message(edge_header(2), {byte_tensor(50)}));
    EXPECT_NE(bench.at_receiver.await_end(), "");
    EXPECT_EQ(bench.at_receiver.messages(), 1U);
  }
}

TEST_P(link, breaks_where_it_is_told_to) {
  link_bench bench(bytes_up_to(50), secure(),
                   make_script({{}, {{}, true, {}}}));
  bench.sender->post(make_message(edge_header(1), {byte_tensor(50)}));
  bench.sender->post(make_message(edge_header(2), {byte_tensor(50)}));
  EXPECT_EQ(bench.at_sender.await_end(), "broken on purpose");
  EXPECT_EQ(bench.at_receiver.await_end(), "the peer closed the connection");
  EXPECT_EQ(bench.at_receiver.messages(), 1U);
}

TEST_P(link, what_is_held_comes_later_and_in_order) {
  link_bench bench(bytes_up_to(50), secure(),
                   make_script({{std::chrono::milliseconds{1}}}));
  for (std::uint32_t i = 0; i < 5; ++i)
    bench.sender->post(make_message(edge_header(i), {byte_tensor(50)}));
  std::uint32_t next = 0;
  for (const auto& x : bench.at_receiver.await_messages(5))
    EXPECT_EQ(std::get<edge_data>(x.head).micro_batch, next++);
}

TEST_P(link, ends_while_it_is_cut) {
  link_bench bench(bytes_up_to(50), secure(),
                   make_script({{std::chrono::hours{1000}}}));
  bench.sender->post(make_message(edge_header(), {byte_tensor(50)}));
  EXPECT_FALSE(bench.sender->drain(std::chrono::nanoseconds{1}));
  EXPECT_EQ(bench.at_receiver.messages(), 0U);
}

} // namespace

} // namespace actorpipe::test
