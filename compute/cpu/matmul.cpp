// SPDX-License-Identifier: Apache-2.0
/// The matrix product in fixed tiles of the result, one call of the library
/// for each.
#include "compute/cpu/cpu_operations.hpp"
#include "compute/cpu/kernels/elementwise.hpp"
#include "compute/cpu/pieces.hpp"
#include "compute/cpu/sgemm.hpp"
#include "compute/ops/preconditions.hpp"

#include <algorithm>

namespace actorpipe {
namespace {

/// The extents of the result's tiles.
struct tile_shape {
  std::int64_t rows = 256;
  std::int64_t columns = 256;

  std::int64_t across(std::int64_t all_columns) const {
    return (all_columns + columns - 1) / columns;
  }
  std::int64_t count(std::int64_t all_rows, std::int64_t all_columns) const {
    return (all_rows + rows - 1) / rows * across(all_columns);
  }
};

/// Square tiles of 256, which a core multiplies at full speed; halved where
/// that leaves too few for the threads that there may be.
tile_shape tiles_of(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t wanted = 4;
  constexpr std::int64_t least = 128;
  tile_shape result;
  if (result.count(rows, columns) < wanted)
    result.rows = least;
  if (result.count(rows, columns) < wanted)
    result.columns = least;
  return result;
}

/// The stored matrix from row `n` of the operand on.
matrix_view from_row(matrix_view x, std::int64_t n) {
  x.values += x.transposed ? n : n * x.stride;
  return x;
}

matrix_view from_column(matrix_view x, std::int64_t o) {
  x.values += x.transposed ? o * x.stride : o;
  return x;
}

} // namespace

void cpu_operations::matmul(const matmul_args& args) {
  require_matmul(args);
  const auto& y = args.y;
  const auto rows = y.extents().rows();
  const auto columns = y.extents().back();
  const auto inner =
    args.transpose_a ? args.a.extents().rows() : args.a.extents().back();
  const matrix_view a{floats(args.a), args.transpose_a ? rows : inner,
                      args.transpose_a};
  const matrix_view b{floats(args.b), args.transpose_b ? inner : columns,
                      args.transpose_b};
  auto* result = writable_floats(y);
  auto* sums = args.pre_activation.defined()
               ? writable_floats(args.pre_activation)
               : result;
  const auto* bias = args.bias.defined() ? floats(args.bias) : nullptr;
  const bool has_epilogue = bias != nullptr || sums != result
                         || args.activation != activation_kind::none;
  const auto tiles = tiles_of(rows, columns);
  const auto across = tiles.across(columns);

  workers_.parallel_for(tiles.count(rows, columns), [&](std::int64_t tile) {
    const auto n = tile / across * tiles.rows;
    const auto o = tile % across * tiles.columns;
    const auto height = std::min(tiles.rows, rows - n);
    const auto width = std::min(tiles.columns, columns - o);
    sgemm(sums + n * columns + o, columns, from_row(a, n), from_column(b, o),
          height, width, inner, args.accumulate);
    if (!has_epilogue)
      return;
    for (auto row = n; row < n + height; ++row) {
      const auto at = row * columns + o;
      kernels::bias_activation(args.activation, result + at, sums + at,
                               sums + at, bias == nullptr ? nullptr : bias + o,
                               width);
    }
  });
}

} // namespace actorpipe
