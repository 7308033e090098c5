// SPDX-License-Identifier: Apache-2.0
/// Sums over rows, a strip of columns a piece; sums of squares in blocks.
#include "compute/cpu/kernels/reductions.hpp"

#include "compute/cpu/cpu_operations.hpp"
#include "compute/cpu/pieces.hpp"
#include "compute/ops/preconditions.hpp"

#include <numeric>

namespace actorpipe {

void cpu_operations::column_sum(tensor d_b, const tensor& d_y) {
  require_column_sum(d_b, d_y);
  const auto rows = d_y.extents().rows();
  const auto columns = d_y.extents().back();
  auto* sums = writable_floats(d_b);
  const auto* x = floats(d_y);
  for_parts(
    columns, kernels::strip_columns, [=](std::int64_t begin, std::int64_t end) {
      kernels::column_sum(sums + begin, x + begin, rows, end - begin, columns);
    });
}

void cpu_operations::sum_of_squares(tensor y, const tensor& x) {
  require_scalar_f64(y);
  const auto* values = floats(x);
  const auto blocks = (x.elements() + piece_elements - 1) / piece_elements;
  std::vector<double> sums(static_cast<std::size_t>(blocks));
  for_parts(x.elements(), piece_elements,
            [&](std::int64_t begin, std::int64_t end) {
              sums[begin / piece_elements] =
                kernels::sum_of_squares(values + begin, end - begin);
            });
  *y.data<double>() = std::accumulate(sums.begin(), sums.end(), 0.0);
}

} // namespace actorpipe
