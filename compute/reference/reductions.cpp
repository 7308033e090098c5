// SPDX-License-Identifier: Apache-2.0
/// Plain sums: over rows, and of squares.
#include "compute/ops/preconditions.hpp"
#include "compute/reference/by_type.hpp"
#include "compute/reference/reference_operations.hpp"

namespace actorpipe {

void reference_operations::column_sum(tensor d_b, const tensor& d_y) {
  require_column_sum(d_b, d_y);
  const auto rows = d_y.extents().rows();
  const auto columns = d_y.extents().back();
  by_float_type(d_y.element(), [&]<class T>(T) {
    for (std::int64_t o = 0; o < columns; ++o) {
      double sum = d_b.data<T>()[o];
      for (std::int64_t n = 0; n < rows; ++n)
        sum += d_y.data<T>()[n * columns + o];
      d_b.data<T>()[o] = static_cast<T>(sum);
    }
  });
}

void reference_operations::sum_of_squares(tensor y, const tensor& x) {
  require_scalar_f64(y);
  by_float_type(x.element(), [&]<class T>(T) {
    double sum = 0;
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      const double value = x.data<T>()[i];
      sum += value * value;
    }
    *y.data<double>() = sum;
  });
}

} // namespace actorpipe
