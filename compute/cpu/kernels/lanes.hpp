// SPDX-License-Identifier: Apache-2.0
/// Sums in a fixed number of lanes, so that their bits depend neither on the
/// width of the processor's vectors nor on where the memory starts.
#pragma once

#include "compute/cpu/kernels/multiversion.hpp"

#include <cstdint>
#include <cstring>

namespace actorpipe::kernels {

inline constexpr std::int64_t lane_count = 16;

/// Sixteen sums side by side: element i of a row goes to lane i mod 16.
using float_lanes [[gnu::vector_size(64)]] = float;

ACTORPIPE_INLINE void load(float_lanes& lanes, const float* x) {
  std::memcpy(&lanes, x, sizeof(lanes));
}

/// The first `count` lanes from `x`, zeros in the others.
ACTORPIPE_INLINE void load_some(float_lanes& lanes, const float* x,
                                std::int64_t count) {
  lanes = float_lanes{};
  std::memcpy(&lanes, x, static_cast<std::size_t>(count) * sizeof(float));
}

/// The lanes added in a fixed tree: halves onto each other.
ACTORPIPE_INLINE float fold(const float_lanes& lanes) {
  const auto eight =
    __builtin_shufflevector(lanes, lanes, 0, 1, 2, 3, 4, 5, 6, 7)
    + __builtin_shufflevector(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15);
  const auto four = __builtin_shufflevector(eight, eight, 0, 1, 2, 3)
                  + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

} // namespace actorpipe::kernels
