// SPDX-License-Identifier: Apache-2.0
/// The matrix product as three loops.
#include "compute/ops/preconditions.hpp"
#include "compute/reference/activation.hpp"
#include "compute/reference/by_type.hpp"
#include "compute/reference/reference_operations.hpp"

namespace actorpipe {
namespace {

/// y[N, O] = activation(op(a)[N, I] op(b)[I, O] + bias[O])
template <class T>
void multiply(const matmul_args& args, tensor y, tensor pre_activation) {
  const auto rows = y.extents().rows();
  const auto columns = y.extents().back();
  const auto inner =
    args.transpose_a ? args.a.extents().rows() : args.a.extents().back();
  const auto* a = args.a.data<T>();
  const auto* b = args.b.data<T>();
  const auto a_at = [&](std::int64_t n, std::int64_t i) {
    return static_cast<double>(args.transpose_a ? a[i * rows + n]
                                                : a[n * inner + i]);
  };
  const auto b_at = [&](std::int64_t i, std::int64_t o) {
    return static_cast<double>(args.transpose_b ? b[o * inner + i]
                                                : b[i * columns + o]);
  };
  for (std::int64_t n = 0; n < rows; ++n)
    for (std::int64_t o = 0; o < columns; ++o) {
      const auto at = n * columns + o;
      double sum = args.accumulate ? y.data<T>()[at] : 0;
      for (std::int64_t i = 0; i < inner; ++i)
        sum += a_at(n, i) * b_at(i, o);
      if (args.bias.defined())
        sum += args.bias.data<T>()[o];
      if (pre_activation.defined())
        pre_activation.data<T>()[at] = static_cast<T>(sum);
      y.data<T>()[at] = static_cast<T>(activate(args.activation, sum));
    }
}

} // namespace

void reference_operations::matmul(const matmul_args& args) {
  require_matmul(args);
  by_float_type(args.y.element(), [&]<class T>(T) {
    multiply<T>(args, args.y, args.pre_activation);
  });
}

} // namespace actorpipe
