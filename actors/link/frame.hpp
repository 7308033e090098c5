// SPDX-License-Identifier: Apache-2.0
/// What goes over a link: a header of fixed size, then a part of one tensor's
/// memory as it is, then the sum of that part.
///
/// All numbers are little-endian. Fields that a kind of message does not use,
/// and those that no byte below is said of, are zero.
///
/// | at  | bytes | what                                                   |
/// | --- | ----- | ------------------------------------------------------ |
/// | 0   | 4     | "APLF"                                                 |
/// | 4   | 4     | the protocol's version                                 |
/// | 8   | 1     | kind of message: 1 + its place in `link_header`        |
/// | 9   | 1     | 1: a gradient                                          |
/// | 10  | 1     | purpose of a shard                                     |
/// | 11  | 1     | type of the tensor's elements                          |
/// | 12  | 1     | its rank                                               |
/// | 16  | 24    | run, attempt, batch                                    |
/// | 40  | 12    | micro-batch; edge or cell; owner                       |
/// | 52  | 4     | user                                                   |
/// | 56  | 24    | version, edition, samples                              |
/// | 80  | 8     | place of the tensor in its message; number of tensors  |
/// | 88  | 48    | extents                                                |
/// | 136 | 16    | offset of the part in the tensor, its length; in bytes |
/// | 152 | 8     | XXH3 of the bytes before                               |
///
/// After them `length` bytes of the tensor and, unless that is 0, 8 bytes with
/// the XXH3 of these.
#pragma once

#include "actors/link/link_message.hpp"
#include "compute/tensor/types.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace actorpipe {

inline constexpr std::size_t frame_header_bytes = 160;
inline constexpr std::size_t frame_sum_bytes = 8;

/// A message that is not urgent goes in parts of at most so many bytes, so that
/// an urgent one waits for one of them at most.
inline constexpr std::uint64_t bulk_part_bytes = std::uint64_t{1} << 20;

/// What a frame says before its data.
struct frame_header {
  link_header message;
  std::uint32_t ordinal = 0; ///< of the tensor within its message
  std::uint32_t count = 0;   ///< of the message's tensors
  tensor_type type;          ///< of the tensor; f32 of rank 0 for a count of 0
  std::uint64_t offset = 0;  ///< of this part within the tensor, in bytes
  std::uint64_t length = 0;  ///< of this part, in bytes
};

using frame_header_block = std::array<std::byte, frame_header_bytes>;

/// The wire form of `x`.
frame_header_block encode(const frame_header& x);

/// Reads a header from any bytes. Returns what is wrong with them, or nothing
/// and then `into` is complete: the part lies within the tensor, the ordinal is
/// below the count, and `encode` gives the same bytes again. Does not allocate
/// by anything that it reads.
std::optional<std::string>
decode(std::span<const std::byte, frame_header_bytes> bytes,
       frame_header& into);

/// Whether both say the same of their message, but for which part they are.
bool same_message(const frame_header& a, const frame_header& b);

/// The sum after a frame's data, in its wire form and back.
std::array<std::byte, frame_sum_bytes> encode_sum(std::uint64_t sum);
std::uint64_t
decode_sum(std::span<const std::byte, frame_sum_bytes> bytes) noexcept;

} // namespace actorpipe
