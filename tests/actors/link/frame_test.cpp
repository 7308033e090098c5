// SPDX-License-Identifier: Apache-2.0
/// Headers of frames come back as they were, and damage is noticed.
#include "actors/link/frame.hpp"

#include "actors/link/data_sum.hpp"
#include "tests/actors/link/link_samples.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>

namespace actorpipe::test {

namespace {

std::vector<frame_header> sample_headers() {
  std::vector<frame_header> result;
  for (const auto& x : all_kinds()) {
    frame_header header{x.head, 0, 0, {}, 0, 0};
    header.count = static_cast<std::uint32_t>(x.data.tensors.size());
    if (header.count > 0) {
      header.type = x.data.tensors[0].type();
      header.length =
        static_cast<std::uint64_t>(x.data.tensors[0].size_bytes());
    }
    result.push_back(header);
  }
  return result;
}

// What `decode` says of these bytes; empty when they are right.
std::string fault_of(const frame_header_block& bytes) {
  frame_header into;
  return decode(bytes, into).value_or("");
}

// Changes one field and makes the sum right again.
template <class Field>
frame_header_block with(frame_header_block bytes, std::size_t at, Field value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
  const auto sum =
    encode_sum(sum_of(std::span(bytes).first(frame_header_bytes - 8)));
  std::memcpy(bytes.data() + frame_header_bytes - 8, sum.data(), sum.size());
  return bytes;
}

frame_header_block sample() {
  return encode({edge_header(), 0, 1, {dtype::f32, {4, 8}}, 0, 128});
}

TEST(frame, every_kind_comes_back) {
  for (const auto& header : sample_headers()) {
    const auto bytes = encode(header);
    frame_header back;
    ASSERT_EQ(decode(bytes, back).value_or(""), "");
    EXPECT_EQ(encode(back), bytes);
    EXPECT_EQ(back.message.index(), header.message.index());
    EXPECT_EQ(back.type, header.type);
    EXPECT_EQ(back.length, header.length);
  }
}

TEST(frame, fields_of_every_kind_come_back) {
  frame_header back;
  const shard sent{{1, 2, 3}, shard_purpose::restore, 4, -5};
  ASSERT_FALSE(decode(encode({sent, 0, 0, {}, 0, 0}), back));
  const auto came = std::get<shard>(back.message);
  EXPECT_EQ(came.id, sent.id);
  EXPECT_EQ(came.purpose, sent.purpose);
  EXPECT_EQ(came.cell, 4U);
  EXPECT_EQ(came.version, -5);
  ASSERT_FALSE(
    decode(encode({accumulated{{1, 2, 3}, 4, 5, 6}, 0, 0, {}, 0, 0}), back));
  EXPECT_EQ(std::get<accumulated>(back.message).cell, 4U);
  EXPECT_EQ(std::get<accumulated>(back.message).owner, 5U);
  EXPECT_EQ(std::get<accumulated>(back.message).samples, 6);
  ASSERT_FALSE(
    decode(encode({weights{1, 2, 3, 4, 5, 6}, 0, 0, {}, 0, 0}), back));
  const auto published = std::get<weights>(back.message);
  EXPECT_EQ(published.edition, 3U);
  EXPECT_EQ(published.version, 4);
  EXPECT_EQ(published.owner, 5U);
  EXPECT_EQ(published.user, 6U);
  ASSERT_FALSE(
    decode(encode({credit{{1, 2, 3}, 4, 5, true}, 0, 0, {}, 0, 0}), back));
  EXPECT_EQ(std::get<credit>(back.message).micro_batch, 4U);
  EXPECT_EQ(std::get<credit>(back.message).edge, 5U);
  EXPECT_TRUE(std::get<credit>(back.message).gradient);
}

TEST(frame, every_bit_of_a_header_matters) {
  for (const auto& header : sample_headers()) {
    const auto bytes = encode(header);
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      auto damaged = bytes;
      damaged[bit / 8] ^= std::byte{1} << (bit % 8);
      EXPECT_NE(fault_of(damaged), "") << "bit " << bit;
    }
  }
}

TEST(frame, random_bytes_with_a_right_sum_never_decode_to_something_else) {
  std::mt19937_64 draw(1);
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = sample();
    for (int change = 0; change < 3; ++change) {
      const auto at = 8 + draw() % (frame_header_bytes - 16 - 8);
      bytes = with(bytes, at, static_cast<std::uint8_t>(draw()));
    }
    frame_header into;
    if (!decode(bytes, into)) {
      EXPECT_EQ(encode(into), bytes);
    }
  }
}

TEST(frame, says_what_is_wrong) {
  EXPECT_EQ(fault_of(with(sample(), 0, 'x')), "no frame begins here");
  EXPECT_EQ(fault_of(with(sample(), 4, std::uint32_t{77})),
            "a frame of protocol version 77, not 1");
  EXPECT_EQ(fault_of(with(sample(), 8, std::uint8_t{9})),
            "the kind of a message is from 1 to 6, not 9");
  EXPECT_EQ(fault_of(with(sample(), 11, std::uint8_t{4})),
            "the type of an element is from 0 to 3, not 4");
  EXPECT_EQ(fault_of(with(sample(), 12, std::uint8_t{7})),
            "a shape has at most 6 extents, not 7");
  EXPECT_EQ(fault_of(with(sample(), 88, std::int64_t{-1})),
            "a shape's extent is at least 0, not -1");
  EXPECT_EQ(fault_of(with(sample(), 80, std::uint32_t{1})),
            "tensor 1 of a message with 1");
  EXPECT_EQ(fault_of(with(sample(), 144, std::uint64_t{129})),
            "129 bytes from 0 do not lie within f32[4, 8]");
  EXPECT_EQ(fault_of(with(sample(), 144, std::uint64_t{0})),
            "an empty part of f32[4, 8]");
  EXPECT_EQ(fault_of(with(sample(), 56, std::int64_t{1})),
            "a field that the message does not use is not zero");
  EXPECT_EQ(fault_of(with(sample(), 13, std::uint8_t{1})),
            "a field that the message does not use is not zero");
}

TEST(frame, sums_of_numbers_that_are_too_large_are_no_small_ones) {
  const auto far = std::numeric_limits<std::uint64_t>::max() - 63;
  EXPECT_NE(fault_of(with(sample(), 136, far)), "");
  EXPECT_NE(fault_of(with(with(sample(), 136, far), 144, std::uint64_t{128})),
            "");
  const auto half = with(sample(), 136, std::uint64_t{64});
  EXPECT_EQ(fault_of(with(half, 144, std::uint64_t{64})), "");
  EXPECT_NE(fault_of(with(half, 144, far)), "");
  const auto wide = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(fault_of(with(with(sample(), 88, wide), 96, wide)), "");
}

TEST(data_sum, of_parts_is_that_of_the_whole) {
  const auto whole = byte_tensor(100'000);
  const std::span bytes(static_cast<const std::byte*>(whole.bytes()), 100'000);
  data_sum sum;
  for (std::size_t at = 0, step = 1; at < bytes.size(); at += step++)
    sum.update(bytes.subspan(at, std::min(step, bytes.size() - at)));
  EXPECT_EQ(sum.value(), sum_of(bytes));
}

} // namespace

} // namespace actorpipe::test
