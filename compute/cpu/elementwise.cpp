// SPDX-License-Identifier: Apache-2.0
/// Elementwise operations, in pieces of consecutive elements.
#include "compute/cpu/kernels/elementwise.hpp"

#include "compute/cpu/cpu_operations.hpp"
#include "compute/cpu/pieces.hpp"
#include "compute/ops/philox.hpp"
#include "compute/ops/preconditions.hpp"

#include <algorithm>
#include <cstring>

namespace actorpipe {

void cpu_operations::fill(tensor y, double value) {
  const auto write = [&]<class T>(T x) {
    auto* values = y.data<T>();
    for_parts(y.elements(), piece_elements,
              [=](std::int64_t begin, std::int64_t end) {
                std::fill(values + begin, values + end, x);
              });
  };
  switch (y.element()) {
  case dtype::f32:
    return write(static_cast<float>(value));
  case dtype::f64:
    return write(value);
  case dtype::i32:
    return write(static_cast<std::int32_t>(value));
  case dtype::u8:
    return write(static_cast<std::uint8_t>(value));
  }
}

void cpu_operations::copy(tensor y, const tensor& x) {
  require_alike(y, x);
  auto* to = static_cast<std::byte*>(y.bytes());
  const auto* from = static_cast<const std::byte*>(x.bytes());
  if (to == from)
    return;
  constexpr auto part_bytes =
    piece_elements * static_cast<std::int64_t>(sizeof(float));
  for_parts(x.size_bytes(), part_bytes,
            [=](std::int64_t begin, std::int64_t end) {
              std::memcpy(to + begin, from + begin,
                          static_cast<std::size_t>(end - begin));
            });
}

void cpu_operations::add(tensor y, const tensor& a, const tensor& b) {
  require_alike(y, a, b);
  if (y.element() == dtype::f64) {
    const auto* left = a.data<double>();
    const auto* right = b.data<double>();
    std::transform(left, left + a.elements(), right, y.data<double>(),
                   std::plus<>{});
    return;
  }
  auto* sum = writable_floats(y);
  const auto* left = floats(a);
  const auto* right = floats(b);
  for_parts(
    y.elements(), piece_elements, [=](std::int64_t begin, std::int64_t end) {
      kernels::add(sum + begin, left + begin, right + begin, end - begin);
    });
}

void cpu_operations::activation_forward(activation_kind kind, tensor y,
                                        const tensor& x) {
  require_alike(y, x);
  auto* to = writable_floats(y);
  const auto* from = floats(x);
  for_parts(
    y.elements(), piece_elements, [=](std::int64_t begin, std::int64_t end) {
      kernels::activation_forward(kind, to + begin, from + begin, end - begin);
    });
}

void cpu_operations::activation_backward(activation_kind kind, tensor d_x,
                                         const tensor& d_y, const tensor& x) {
  require_alike(d_x, d_y, x);
  auto* to = writable_floats(d_x);
  const auto* gradient = floats(d_y);
  const auto* from = floats(x);
  for_parts(x.elements(), piece_elements,
            [=](std::int64_t begin, std::int64_t end) {
              kernels::activation_backward(kind, to + begin, gradient + begin,
                                           from + begin, end - begin);
            });
}

void cpu_operations::dropout(tensor y, const tensor& x, double p,
                             random_key key, std::int64_t first_sample) {
  require_alike(y, x);
  const auto samples = x.extents().rank() == 0 ? 1 : x.extents()[0];
  if (x.elements() == 0)
    return;
  const auto size = x.elements() / samples;
  const auto parts = (size + piece_elements - 1) / piece_elements;
  const auto threshold = dropout_threshold(p);
  const auto scale = static_cast<float>(1 / (1 - p));
  auto* to = writable_floats(y);
  const auto* from = floats(x);
  workers_.parallel_for(samples * parts, [&](std::int64_t piece) {
    const auto sample = piece / parts;
    const auto begin = piece % parts * piece_elements;
    const auto count = std::min(piece_elements, size - begin);
    constexpr std::int64_t chunk = 1024;
    std::uint32_t bits[chunk];
    for (std::int64_t done = 0; done < count; done += chunk) {
      const auto some = std::min(chunk, count - done);
      const auto at = sample * size + begin + done;
      kernels::sample_bits(
        bits, key, static_cast<std::uint64_t>((begin + done) / 4),
        static_cast<std::uint64_t>(first_sample + sample), (some + 3) / 4);
      kernels::keep(to + at, from + at, bits, threshold, scale, some);
    }
  });
}

} // namespace actorpipe
