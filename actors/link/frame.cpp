// SPDX-License-Identifier: Apache-2.0
/// The wire form of a frame's header.
#include "actors/link/frame.hpp"

#include "actors/link/data_sum.hpp"
#include "messages/protocol_version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace actorpipe {

namespace {

constexpr std::array<std::byte, 4> magic{std::byte{'A'}, std::byte{'P'},
                                         std::byte{'L'}, std::byte{'F'}};
constexpr std::size_t sum_at = frame_header_bytes - frame_sum_bytes;

// The header as it lies on the wire.
struct wire_header {
  std::array<std::byte, 4> magic;
  std::uint32_t protocol;
  std::uint8_t kind;
  std::uint8_t gradient;
  std::uint8_t purpose;
  std::uint8_t element;
  std::uint8_t rank;
  std::array<std::uint8_t, 3> unused;
  std::uint64_t run;
  std::uint64_t attempt;
  std::uint64_t batch;
  std::uint32_t micro_batch;
  std::uint32_t edge_or_cell;
  std::uint32_t owner;
  std::uint32_t user;
  std::int64_t version;
  std::uint64_t edition;
  std::int64_t samples;
  std::uint32_t ordinal;
  std::uint32_t count;
  std::array<std::int64_t, shape::max_rank> extents;
  std::uint64_t offset;
  std::uint64_t length;
  std::uint64_t sum;
};
static_assert(sizeof(wire_header) == frame_header_bytes);
static_assert(std::endian::native == std::endian::little,
              "numbers would have to be turned round here");

struct writer {
  wire_header& to;

  void operator()(const edge_data& x) const {
    put(x.id);
    to.micro_batch = x.micro_batch;
    to.edge_or_cell = x.edge;
    to.gradient = x.gradient ? 1 : 0;
  }
  void operator()(const credit& x) const {
    put(x.id);
    to.micro_batch = x.micro_batch;
    to.edge_or_cell = x.edge;
    to.gradient = x.gradient ? 1 : 0;
  }
  void operator()(const accumulated& x) const {
    put(x.id);
    to.edge_or_cell = x.cell;
    to.owner = x.owner;
    to.samples = x.samples;
  }
  void operator()(const weights& x) const {
    to.run = x.run;
    to.attempt = x.attempt;
    to.edition = x.edition;
    to.version = x.version;
    to.owner = x.owner;
    to.user = x.user;
  }
  void operator()(const shard& x) const {
    put(x.id);
    to.purpose = static_cast<std::uint8_t>(x.purpose);
    to.edge_or_cell = x.cell;
    to.version = x.version;
  }
  void operator()(const fetch& x) const {
    put(x.id);
    to.edge_or_cell = x.cell;
    to.version = x.version;
  }

  void put(const work_id& id) const {
    to.run = id.run;
    to.attempt = id.attempt;
    to.batch = id.batch;
  }
};

// Requires a kind from 1 to the number of kinds.
link_header message_of(const wire_header& x) {
  const work_id id{x.run, x.attempt, x.batch};
  switch (x.kind - 1) {
  case 0:
    return edge_data{id, x.micro_batch, x.edge_or_cell, x.gradient != 0};
  case 1:
    return credit{id, x.micro_batch, x.edge_or_cell, x.gradient != 0};
  case 2:
    return accumulated{id, x.edge_or_cell, x.owner, x.samples};
  case 3:
    return weights{x.run, x.attempt, x.edition, x.version, x.owner, x.user};
  case 4:
    return shard{id, static_cast<shard_purpose>(x.purpose), x.edge_or_cell,
                 x.version};
  default:
    return fetch{id, x.edge_or_cell, x.version};
  }
}

std::uint64_t sum_before(std::span<const std::byte> bytes) noexcept {
  return sum_of(bytes.first(sum_at));
}

std::optional<std::string> find_kind_fault(const wire_header& x) {
  constexpr auto kinds = std::variant_size_v<link_header>;
  if (x.kind < 1 || x.kind > kinds)
    return fmt::format("the kind of a message is from 1 to {}, not {}", kinds,
                       x.kind);
  const auto is_shard = x.kind == 5;
  const auto last = static_cast<std::uint8_t>(shard_purpose::restore);
  if (is_shard && (x.purpose < 1 || x.purpose > last))
    return fmt::format("the purpose of a shard is from 1 to {}, not {}", last,
                       x.purpose);
  return std::nullopt;
}

std::optional<std::string> find_type_fault(const wire_header& x,
                                           tensor_type& into) {
  constexpr auto last = static_cast<std::uint8_t>(dtype::u8);
  if (x.element > last)
    return fmt::format("the type of an element is from 0 to {}, not {}", last,
                       x.element);
  if (x.rank > shape::max_rank)
    return fmt::format("a shape has at most {} extents, not {}",
                       shape::max_rank, x.rank);
  try {
    into = {static_cast<dtype>(x.element),
            shape(std::span(x.extents).first(x.rank))};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return std::nullopt;
}

std::optional<std::string> find_part_fault(const frame_header& x) {
  if (x.count == 0) {
    if (x.ordinal != 0 || x.offset != 0 || x.length != 0
        || x.type != tensor_type{})
      return "a message without tensors has a part of one";
    return std::nullopt;
  }
  if (x.ordinal >= x.count)
    return fmt::format("tensor {} of a message with {}", x.ordinal, x.count);
  const auto size = static_cast<std::uint64_t>(x.type.size_bytes());
  if (x.offset > size || x.length > size - x.offset)
    return fmt::format("{} bytes from {} do not lie within {}", x.length,
                       x.offset, to_string(x.type));
  if (x.length == 0 && size != 0)
    return fmt::format("an empty part of {}", to_string(x.type));
  return std::nullopt;
}

} // namespace

frame_header_block encode(const frame_header& x) {
  wire_header wire{};
  wire.magic = magic;
  wire.protocol = protocol_version;
  wire.kind = static_cast<std::uint8_t>(x.message.index() + 1);
  std::visit(writer{wire}, x.message);
  wire.element = static_cast<std::uint8_t>(x.type.type);
  wire.rank = static_cast<std::uint8_t>(x.type.extents.rank());
  for (std::size_t axis = 0; axis < x.type.extents.rank(); ++axis)
    wire.extents[axis] = x.type.extents[axis];
  wire.ordinal = x.ordinal;
  wire.count = x.count;
  wire.offset = x.offset;
  wire.length = x.length;
  auto result = std::bit_cast<frame_header_block>(wire);
  wire.sum = sum_before(result);
  return std::bit_cast<frame_header_block>(wire);
}

std::optional<std::string>
decode(std::span<const std::byte, frame_header_bytes> bytes,
       frame_header& into) {
  wire_header wire;
  std::memcpy(&wire, bytes.data(), sizeof(wire));
  if (wire.magic != magic)
    return "no frame begins here";
  if (wire.protocol != protocol_version)
    return fmt::format("a frame of protocol version {}, not {}", wire.protocol,
                       protocol_version);
  if (wire.sum != sum_before(bytes))
    return "the header of a frame is damaged";
  if (auto fault = find_kind_fault(wire))
    return fault;
  if (auto fault = find_type_fault(wire, into.type))
    return fault;
  into.message = message_of(wire);
  into.ordinal = wire.ordinal;
  into.count = wire.count;
  into.offset = wire.offset;
  into.length = wire.length;
  if (auto fault = find_part_fault(into))
    return fault;
  if (!std::ranges::equal(encode(into), bytes))
    return "a field that the message does not use is not zero";
  return std::nullopt;
}

bool same_message(const frame_header& a, const frame_header& b) {
  const auto said = [](const frame_header& x) {
    return encode({x.message, 0, x.count, {}, 0, 0});
  };
  return said(a) == said(b);
}

std::array<std::byte, frame_sum_bytes> encode_sum(std::uint64_t sum) {
  return std::bit_cast<std::array<std::byte, frame_sum_bytes>>(sum);
}

std::uint64_t
decode_sum(std::span<const std::byte, frame_sum_bytes> bytes) noexcept {
  std::uint64_t result = 0;
  std::memcpy(&result, bytes.data(), sizeof(result));
  return result;
}

} // namespace actorpipe
