// SPDX-License-Identifier: Apache-2.0
/// Messages come back from the bytes of their frames, and only from those.
#include "actors/link/frame_reader.hpp"

#include "actors/link/data_sum.hpp"
#include "actors/link/frame_queue.hpp"
#include "actors/link/link_error.hpp"
#include "tests/actors/link/link_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace actorpipe::test {

namespace {

using bytes = std::vector<std::byte>;

void append(bytes& to, std::span<const std::byte> what) {
  to.insert(to.end(), what.begin(), what.end());
}

bytes bytes_of_frame(const outgoing_frame& frame) {
  bytes result;
  append(result, encode(frame.header));
  if (frame.header.length > 0) {
    append(result, frame.data());
    append(result, encode_sum(sum_of(frame.data())));
  }
  return result;
}

// All frames in the order in which a link sends them.
std::vector<bytes> frames_of(const std::vector<link_message>& messages) {
  frame_queue queue;
  for (const auto& x : messages)
    queue.push(x);
  std::vector<bytes> result;
  while (!queue.empty())
    result.push_back(bytes_of_frame(queue.pop()));
  return result;
}

bytes join(const std::vector<bytes>& frames) {
  bytes result;
  for (const auto& x : frames)
    append(result, x);
  return result;
}

struct outcome {
  std::vector<link_message> messages;
  std::string fault; ///< empty: the bytes ended well
  std::int64_t allocated_bytes = 0;
};

// Reads everything; the source gives at most `most` bytes at once.
outcome read(const bytes& from, std::shared_ptr<const link_contract> agreed,
             std::size_t most = 1 << 20) {
  outcome result;
  std::span<const std::byte> rest = from;
  const auto take = [&](std::span<std::byte> into) {
    const auto count = std::min(into.size(), rest.size());
    std::ranges::copy(rest.first(count), into.begin());
    rest = rest.subspan(count);
    return count;
  };
  frame_reader reader(
    [&](std::span<std::byte> first, std::span<std::byte> more) {
      first = first.first(std::min(first.size(), most));
      more = more.first(std::min(more.size(), most - first.size()));
      const auto got = take(first);
      return got + take(more);
    },
    message_assembly(std::move(agreed), [&](const tensor_type& type) {
      result.allocated_bytes += type.size_bytes();
      return tensor::zeros(type);
    }));
  try {
    while (auto message = reader.next())
      result.messages.push_back(std::move(*message));
  } catch (const link_error& error) {
    result.fault = error.what();
  }
  return result;
}

std::shared_ptr<const link_contract> all_allowed() {
  return std::make_shared<sample_contract>(all_kinds());
}

TEST(frame_reader, every_kind_comes_back) {
  for (const auto& sent : all_kinds()) {
    const auto came = read(join(frames_of({sent})), all_allowed());
    EXPECT_EQ(came.fault, "");
    ASSERT_EQ(came.messages.size(), 1U);
    expect_same(sent, came.messages[0]);
  }
}

TEST(frame_reader, it_does_not_matter_in_which_pieces_bytes_come) {
  auto sent = all_kinds();
  std::ranges::stable_partition(
    sent, [](const auto& x) { return is_urgent(x.head); });
  const auto all = join(frames_of(sent));
  for (std::size_t most : {1U, 7U, 159U, 160U, 161U, 100'000U}) {
    const auto came = read(all, all_allowed(), most);
    EXPECT_EQ(came.fault, "");
    ASSERT_EQ(came.messages.size(), sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i)
      expect_same(sent[i], came.messages[i]);
  }
}

TEST(frame_reader, tensors_of_any_size_come_back) {
  constexpr std::int64_t part = bulk_part_bytes;
  for (const auto size :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{16'383},
        std::int64_t{16'384}, part - 1, part, part + 1, 3 * part + 5})
    for (const auto& head :
         {link_header(edge_header()), link_header(shard{link_id()})}) {
      const auto sent = make_message(head, {byte_tensor(size)});
      const auto agreed = std::make_shared<uniform_contract>(
        tensor_type{dtype::u8, {3 * part + 5}});
      const auto came = read(join(frames_of({sent})), agreed, 70'000);
      EXPECT_EQ(came.fault, "");
      ASSERT_EQ(came.messages.size(), 1U);
      expect_same(sent, came.messages[0]);
    }
}

TEST(frame_reader, urgent_messages_may_come_between_parts) {
  const auto bulk = make_message(
    shard{link_id()}, {byte_tensor(5 << 19, 1), byte_tensor(5 << 19, 2)});
  auto frames = frames_of({bulk});
  ASSERT_EQ(frames.size(), 6U);
  const auto agreed = std::make_shared<sample_contract>(
    std::vector{bulk, make_message(edge_header(), {byte_tensor(9)})});
  const auto urgent =
    frames_of({make_message(edge_header(), {byte_tensor(9)})})[0];
  for (std::size_t place = 0; place <= 6; ++place) {
    auto mixed = frames;
    mixed.insert(mixed.begin() + static_cast<std::ptrdiff_t>(place), urgent);
    const auto came = read(join(mixed), agreed);
    EXPECT_EQ(came.fault, "");
    ASSERT_EQ(came.messages.size(), 2U);
    EXPECT_EQ(came.messages[0].head.index(), place == 6 ? 4U : 0U);
    expect_same(bulk, came.messages[place == 6 ? 0 : 1]);
  }
}

// What is damaged is never delivered, and costs no more memory than agreed.
TEST(frame_reader, every_damaged_byte_is_noticed) {
  for (const auto& sent : all_kinds()) {
    const auto whole = join(frames_of({sent}));
    for (std::size_t at = 0; at < whole.size(); ++at)
      for (const auto change : {std::byte{1}, std::byte{0x80}}) {
        auto damaged = whole;
        damaged[at] ^= change;
        const auto came = read(damaged, all_allowed());
        EXPECT_NE(came.fault, "") << "byte " << at;
        EXPECT_TRUE(came.messages.empty()) << "byte " << at;
        EXPECT_LT(came.allocated_bytes, 1000);
      }
  }
}

TEST(frame_reader, an_early_end_is_noticed_unless_it_is_between_frames) {
  const auto sent = all_kinds()[4];
  const auto frames = frames_of({sent});
  const auto whole = join(frames);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto came =
      read({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)},
           all_allowed());
    EXPECT_TRUE(came.messages.empty());
    std::size_t boundary = 0;
    auto at_boundary = size == 0;
    for (const auto& frame : frames)
      at_boundary = at_boundary || size == (boundary += frame.size());
    EXPECT_EQ(came.fault.empty(), at_boundary) << size;
  }
}

TEST(frame_reader, frames_come_in_order) {
  const auto bulk = make_message(
    shard{link_id()}, {byte_tensor(5 << 19, 1), byte_tensor(5 << 19, 2)});
  const auto frames = frames_of({bulk});
  const auto agreed = std::make_shared<sample_contract>(std::vector{bulk});
  for (std::size_t left_out = 0; left_out < 5; ++left_out) {
    auto some = frames;
    some.erase(some.begin() + static_cast<std::ptrdiff_t>(left_out));
    EXPECT_NE(read(join(some), agreed).fault, "") << left_out;
  }
  for (std::size_t twice = 0; twice < 5; ++twice) {
    auto some = frames;
    some.insert(some.begin() + static_cast<std::ptrdiff_t>(twice),
                frames[twice]);
    EXPECT_NE(read(join(some), agreed).fault, "") << twice;
  }
}

TEST(frame_reader, every_tensor_of_a_message_comes_once) {
  const auto sent =
    make_message(shard{link_id()},
                 {byte_tensor(8, 1), byte_tensor(8, 2), byte_tensor(8, 3)});
  const auto agreed = std::make_shared<sample_contract>(std::vector{sent});
  const auto x = frames_of({sent});
  EXPECT_EQ(read(join(x), agreed).fault, "");
  EXPECT_EQ(read(join({x[0], x[2]}), agreed).fault,
            "a frame of the shard of cell 0 skips a tensor");
  EXPECT_NE(read(join({x[0], x[0], x[1], x[2]}), agreed).fault, "");
  EXPECT_NE(read(join({x[1], x[2]}), agreed).fault, "");
}

TEST(frame_reader, a_message_does_not_begin_within_another) {
  const auto one = make_message(shard{link_id(1)}, {byte_tensor(3 << 20)});
  const auto other = make_message(shard{link_id(2)}, {byte_tensor(3 << 20)});
  const auto agreed = std::make_shared<sample_contract>(std::vector{one});
  const auto a = frames_of({one});
  const auto b = frames_of({other});
  EXPECT_EQ(read(join({a[0], b[0]}), agreed).fault,
            "a frame of the shard of cell 0 comes before the message before it "
            "has ended");
  EXPECT_EQ(read(join({a[0], b[1]}), agreed).messages.size(), 0U);
}

TEST(frame_reader, what_was_not_agreed_on_is_refused_before_memory_is_made) {
  const auto agreed =
    std::make_shared<uniform_contract>(tensor_type{dtype::u8, {100}});
  const auto fault_of = [&](const link_message& x) {
    const auto came = read(join(frames_of({x})), agreed);
    EXPECT_EQ(came.allocated_bytes, 0);
    EXPECT_TRUE(came.messages.empty());
    return came.fault;
  };
  EXPECT_EQ(fault_of(make_message(edge_header(), {byte_tensor(101)})),
            "tensor 0 of the tensor of micro-batch 5 over edge 2 is u8[101], "
            "and at most u8[100] was agreed on");
  EXPECT_EQ(
    fault_of(make_message(edge_header(), {byte_tensor(1), byte_tensor(1)})),
    "the tensor of micro-batch 5 over edge 2 has 2 tensors, and 1 were "
    "agreed on");
  EXPECT_EQ(fault_of(make_message(credit{{5, 1, 1}, 0, 0, false})),
            "the credit for micro-batch 0 over edge 0 is of run 5, and this is "
            "run 1234605616436508552");
}

TEST(frame_reader, no_rows_may_claim_to_be_too_long_for_a_shape) {
  const auto agreed =
    std::make_shared<uniform_contract>(tensor_type{dtype::f32, {4, 3}});
  const frame_header header{
    edge_header(), 0, 1, {dtype::f32, {0, 1LL << 52}}, 0, 0};
  const auto block = encode(header);
  const auto came = read({block.begin(), block.end()}, agreed);
  EXPECT_NE(came.fault.find("at most f32[4, 3] was agreed on"),
            std::string::npos)
    << came.fault;
}

} // namespace

} // namespace actorpipe::test
