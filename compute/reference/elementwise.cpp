// SPDX-License-Identifier: Apache-2.0
/// Plain loops over elements: fill, copy, add, activations, dropout.
#include "compute/ops/philox.hpp"
#include "compute/ops/preconditions.hpp"
#include "compute/reference/activation.hpp"
#include "compute/reference/by_type.hpp"
#include "compute/reference/reference_operations.hpp"

#include <algorithm>
#include <cstring>

namespace actorpipe {

void reference_operations::fill(tensor y, double value) {
  const auto write = [&]<class T>(T) {
    std::fill_n(y.data<T>(), y.elements(), static_cast<T>(value));
  };
  if (y.element() == dtype::i32)
    write(std::int32_t{});
  else if (y.element() == dtype::u8)
    write(std::uint8_t{});
  else
    by_float_type(y.element(), write);
}

void reference_operations::copy(tensor y, const tensor& x) {
  require_alike(y, x);
  std::memmove(y.bytes(), x.bytes(), static_cast<std::size_t>(x.size_bytes()));
}

void reference_operations::enqueue(std::int64_t pieces,
                                   std::function<void(std::int64_t)> work) {
  for (std::int64_t piece = 0; piece < pieces; ++piece)
    work(piece);
}

void reference_operations::add(tensor y, const tensor& a, const tensor& b) {
  require_alike(y, a, b);
  by_float_type(y.element(), [&]<class T>(T) {
    for (std::int64_t i = 0; i < y.elements(); ++i)
      y.data<T>()[i] = a.data<T>()[i] + b.data<T>()[i];
  });
}

void reference_operations::activation_forward(activation_kind kind, tensor y,
                                              const tensor& x) {
  require_alike(y, x);
  by_float_type(y.element(), [&]<class T>(T) {
    for (std::int64_t i = 0; i < y.elements(); ++i)
      y.data<T>()[i] = static_cast<T>(activate(kind, x.data<T>()[i]));
  });
}

void reference_operations::activation_backward(activation_kind kind, tensor d_x,
                                               const tensor& d_y,
                                               const tensor& x) {
  require_alike(d_x, d_y, x);
  by_float_type(x.element(), [&]<class T>(T) {
    for (std::int64_t i = 0; i < x.elements(); ++i)
      d_x.data<T>()[i] = static_cast<T>(
        d_y.data<T>()[i] * activation_derivative(kind, x.data<T>()[i]));
  });
}

void reference_operations::dropout(tensor y, const tensor& x, double p,
                                   random_key key, std::int64_t first_sample) {
  require_alike(y, x);
  const auto samples = x.extents().rank() == 0 ? 1 : x.extents()[0];
  const auto size = samples == 0 ? 0 : x.elements() / samples;
  const auto threshold = dropout_threshold(p);
  by_float_type(x.element(), [&]<class T>(T) {
    const auto scale = static_cast<T>(1 / (1 - p));
    for (std::int64_t b = 0; b < samples; ++b)
      for (std::int64_t i = 0; i < size; ++i) {
        const auto bits = draw(key, static_cast<std::uint64_t>(i / 4),
                               static_cast<std::uint64_t>(first_sample + b));
        const bool kept = bits.values[i % 4] >= threshold;
        const auto at = b * size + i;
        y.data<T>()[at] = kept ? x.data<T>()[at] * scale : 0;
      }
  });
}

} // namespace actorpipe
