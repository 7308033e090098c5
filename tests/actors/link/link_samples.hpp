// SPDX-License-Identifier: Apache-2.0
/// A message of every kind, a contract that allows them, and comparison.
#pragma once

#include "actors/link/frame.hpp"
#include "actors/link/link_contract.hpp"
#include "actors/link/link_message.hpp"
#include "tests/support/test_tensors.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace actorpipe::test {

inline constexpr std::uint64_t link_run = 0x1122334455667788U;

inline work_id link_id(std::uint64_t batch = 9) {
  return {link_run, 3, batch};
}

/// Bytes, so that any size is possible.
inline tensor byte_tensor(std::int64_t bytes, std::uint64_t seed = 1) {
  auto result = tensor::zeros({dtype::u8, {bytes}});
  for (std::int64_t i = 0; i < bytes; ++i)
    result.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(
      (static_cast<std::uint64_t>(i) + seed) * 2654435761U >> 8);
  return result;
}

inline link_message make_message(link_header head, tensor_list tensors = {}) {
  return {std::move(head), {std::move(tensors), {}}};
}

inline edge_data edge_header(std::uint32_t micro_batch = 5) {
  return {link_id(), micro_batch, 2, false};
}

/// One of every kind, with tensors of several types and odd sizes.
inline std::vector<link_message> all_kinds() {
  const auto floats = random_tensor({dtype::f32, {3, 5}}, 1);
  const auto doubles = random_tensor({dtype::f64, {2, 1, 7}}, 2);
  const auto tokens = random_tokens({3, 3}, 100, 3);
  const auto empty = tensor::zeros({dtype::f32, {0, 4}});
  const auto scalar = tensor::zeros({dtype::f32, {}});
  std::vector<link_message> result;
  result.push_back(make_message(edge_data{link_id(), 5, 2, true}, {floats}));
  result.push_back(make_message(edge_data{link_id(), 6, 1, false}, {tokens}));
  result.push_back(make_message(edge_data{link_id(), 7, 1, false}, {empty}));
  result.push_back(make_message(credit{link_id(), 4, 3, true}));
  result.push_back(make_message(accumulated{link_id(), 1, 2, 77},
                                {floats, empty, doubles, scalar}));
  result.push_back(make_message(weights{link_run, 2, 8, -1, 4, 5}, {floats}));
  result.push_back(make_message(weights{link_run, 2, 9, 12, 4, 6}));
  for (const auto purpose : {shard_purpose::collect, shard_purpose::install,
                             shard_purpose::replica, shard_purpose::restore})
    result.push_back(
      make_message(shard{link_id(), purpose, 7, 41}, {byte_tensor(1), floats}));
  result.push_back(make_message(fetch{link_id(), 6, 40}));
  return result;
}

/// Whether all fields and all bits are the same.
inline void expect_same(const link_message& a, const link_message& b) {
  const auto count = static_cast<std::uint32_t>(a.data.tensors.size());
  const auto said = [&](const link_header& x) {
    return encode({x, 0, count, {}, 0, 0});
  };
  EXPECT_EQ(said(a.head), said(b.head)) << to_string(a.head);
  ASSERT_EQ(a.data.tensors.size(), b.data.tensors.size());
  for (std::size_t i = 0; i < a.data.tensors.size(); ++i)
    EXPECT_TRUE(same_bits(a.data.tensors[i], b.data.tensors[i]))
      << to_string(a.head) << ", tensor " << i;
}

/// Allows messages that have the types of the given ones, kind by kind; others
/// of that kind too.
class sample_contract final : public link_contract {
public:
  explicit sample_contract(std::vector<link_message> allowed)
    : allowed_(std::move(allowed)) {
    for (const auto& x : allowed_)
      types_.push_back(types_of(x.data.tensors));
  }

  std::uint64_t run() const noexcept override { return link_run; }

  std::optional<tensors> find(const link_header& message) const override {
    std::optional<tensors> result;
    for (std::size_t i = 0; i < allowed_.size(); ++i)
      if (is_like(allowed_[i].head, message))
        result = tensors{types_[i], false};
    return result;
  }

private:
  static bool is_like(const link_header& a, const link_header& b) {
    if (a.index() != b.index())
      return false;
    if (const auto* x = std::get_if<edge_data>(&a))
      return x->micro_batch == std::get<edge_data>(b).micro_batch;
    if (const auto* x = std::get_if<weights>(&a))
      return x->edition == std::get<weights>(b).edition;
    return true;
  }

  std::vector<link_message> allowed_;
  std::vector<std::vector<tensor_type>> types_;
};

/// Allows everything of the run, with one tensor of at most this many bytes or
/// `count` of exactly that type.
class uniform_contract final : public link_contract {
public:
  explicit uniform_contract(const tensor_type& type, std::size_t count = 1)
    : types_(count, type) {}

  std::uint64_t run() const noexcept override { return link_run; }

  std::optional<tensors> find(const link_header& message) const override {
    if (std::holds_alternative<credit>(message)
        || std::holds_alternative<fetch>(message))
      return tensors{};
    return tensors{types_, true};
  }

private:
  std::vector<tensor_type> types_;
};

} // namespace actorpipe::test
