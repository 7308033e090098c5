// SPDX-License-Identifier: Apache-2.0
/// How large the pieces of the operations are, and access to f32 values.
#pragma once

#include "compute/tensor/tensor.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace actorpipe {

/// Elements of one piece of an elementwise operation: three arrays of them fit
/// a core's second cache, and computing them takes longer than sharing them.
inline constexpr std::int64_t piece_elements = 16384;

/// Rows of one piece, so that a piece has about as many elements.
inline std::int64_t piece_rows(std::int64_t columns) {
  return std::max<std::int64_t>(1, piece_elements
                                     / std::max<std::int64_t>(columns, 1));
}

inline void require_f32(const tensor& x) {
  if (x.element() != dtype::f32)
    throw std::invalid_argument("the cpu computes in f32, not in "
                                + std::string(to_string(x.element())));
}

inline const float* floats(const tensor& x) {
  require_f32(x);
  return x.data<float>();
}

/// The values of an output; a handle is a copy, the memory is shared.
inline float* writable_floats(tensor x) {
  require_f32(x);
  return x.data<float>();
}

} // namespace actorpipe
