// SPDX-License-Identifier: Apache-2.0
/// One matrix product in the calling thread. The only file that knows oneDNN.
#pragma once

#include <cstdint>

namespace actorpipe {

/// A matrix as it is stored: rows of `stride` values.
struct matrix_view {
  const float* values;
  std::int64_t stride;
  bool transposed = false; ///< the operand is the stored matrix transposed
};

/// c[rows, columns] = op(a)[rows, inner] op(b)[inner, columns], or c += where
/// `accumulate`. The bits depend on the extents and strides alone. Throws
/// `out_of_memory`.
void sgemm(float* c, std::int64_t c_stride, const matrix_view& a,
           const matrix_view& b, std::int64_t rows, std::int64_t columns,
           std::int64_t inner, bool accumulate);

} // namespace actorpipe
