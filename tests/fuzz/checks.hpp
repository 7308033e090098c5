// SPDX-License-Identifier: Apache-2.0
/// What the fuzz targets demand of a decoder besides that it does not crash.
#pragma once

#include "tests/messages/largest_allocation.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace actorpipe::fuzz {

/// Ends the program unless `holds`, which is how a target reports a fault.
/// `what` is a sentence about what should have been.
inline void require(bool holds, const char* what) {
  if (holds)
    return;
  std::fprintf(stderr, "required: %s\n", what);
  std::abort();
}

/// The input as text.
inline std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// Calls `decode`; no block that it asks for may be far beyond what an input of
/// `size` bytes justifies. An input of a few bytes may name a default, print a
/// message or fill a table: that is what the constant is for.
template <class Decode>
void within_memory(std::size_t size, Decode decode) {
  constexpr std::size_t constant_bytes = std::size_t{64} << 10;
  constexpr std::size_t bytes_per_byte = 128;
  test::reset_largest_allocation();
  decode();
  require(test::largest_allocation_bytes()
            <= constant_bytes + bytes_per_byte * size,
          "no block is far larger than the input");
}

} // namespace actorpipe::fuzz
