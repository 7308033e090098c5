// SPDX-License-Identifier: Apache-2.0
/// Softmax rows: the greatest, the exponentials, their sum, the quotients. Each
/// pass goes over a group of rows in the nearest cache: rows are short, and
/// the processor works on several at once where none waits for its own sum.
#include "compute/cpu/kernels/softmax.hpp"

#include "compute/cpu/kernels/functions.hpp"
#include "compute/cpu/kernels/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace actorpipe::kernels {
namespace {

/// Integers in the order of the floats; its own inverse.
ACTORPIPE_INLINE std::int32_t ordered(std::int32_t bits) {
  return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

/// The greatest value. Compared as integers, which needs no order of the
/// comparisons; a row with a NaN gives anything.
ACTORPIPE_INLINE float greatest(const float* x, std::int64_t count) {
  auto best = std::numeric_limits<std::int32_t>::min();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto key = ordered(std::bit_cast<std::int32_t>(x[i]));
    best = key > best ? key : best;
  }
  return std::bit_cast<float>(ordered(best));
}

ACTORPIPE_INLINE float sum(const float* x, std::int64_t count) {
  float_lanes lanes = {};
  float_lanes value;
  std::int64_t i = 0;
  for (; i + lane_count <= count; i += lane_count) {
    load(value, x + i);
    lanes += value;
  }
  load_some(value, x + i, count - i);
  lanes += value;
  return fold(lanes);
}

ACTORPIPE_INLINE float dot(const float* a, const float* b, std::int64_t count) {
  float_lanes lanes = {};
  float_lanes a_value;
  float_lanes b_value;
  std::int64_t i = 0;
  for (; i + lane_count <= count; i += lane_count) {
    load(a_value, a + i);
    load(b_value, b + i);
    lanes += a_value * b_value;
  }
  load_some(a_value, a + i, count - i);
  load_some(b_value, b + i, count - i);
  lanes += a_value * b_value;
  return fold(lanes);
}

/// How many of a row's values are worked on: whole lanes where there are.
ACTORPIPE_INLINE std::int64_t whole_lanes(std::int64_t count,
                                          std::int64_t limit) {
  const auto rounded = (count + lane_count - 1) / lane_count * lane_count;
  return rounded < limit ? rounded : limit;
}

constexpr std::int64_t greatest_group = 64;

/// How many rows a pass goes over: 16 KiB.
ACTORPIPE_INLINE std::int64_t group_rows(std::int64_t stride) {
  constexpr std::int64_t near_floats = 4096;
  return std::clamp<std::int64_t>(near_floats / stride, 1, greatest_group);
}

} // namespace

ACTORPIPE_KERNEL
void causal_softmax(float* p, float scale, std::int64_t first,
                    std::int64_t rows, std::int64_t stride) {
  const auto group = group_rows(stride);
  for (std::int64_t begin = 0; begin < rows; begin += group) {
    const auto end = std::min(rows, begin + group);
    float most[greatest_group];
    float factor[greatest_group];
    for (auto n = begin; n < end; ++n) {
      float* row = p + n * stride;
      const auto seen = first + n + 1;
      const auto count = whole_lanes(seen, stride);
      for (auto s = seen; s < count; ++s)
        row[s] = -std::numeric_limits<float>::infinity();
      most[n - begin] = greatest(row, count);
    }
    for (auto n = begin; n < end; ++n) {
      float* row = p + n * stride;
      const auto count = whole_lanes(first + n + 1, stride);
      const float shift = most[n - begin];
      ACTORPIPE_INDEPENDENT
      for (std::int64_t s = 0; s < count; ++s)
        row[s] = exp((row[s] - shift) * scale);
    }
    for (auto n = begin; n < end; ++n)
      factor[n - begin] =
        1.0F / sum(p + n * stride, whole_lanes(first + n + 1, stride));
    for (auto n = begin; n < end; ++n) {
      float* row = p + n * stride;
      const auto count = whole_lanes(first + n + 1, stride);
      const float f = factor[n - begin];
      ACTORPIPE_INDEPENDENT
      for (std::int64_t s = 0; s < count; ++s)
        row[s] *= f;
      std::memset(row + count, 0,
                  static_cast<std::size_t>(stride - count) * sizeof(float));
    }
  }
}

ACTORPIPE_KERNEL
void causal_softmax_backward(float* d, std::int64_t d_stride, const float* p,
                             std::int64_t p_stride, float scale,
                             std::int64_t first, std::int64_t rows,
                             std::int64_t columns) {
  const auto group = group_rows(d_stride + p_stride);
  for (std::int64_t begin = 0; begin < rows; begin += group) {
    const auto end = std::min(rows, begin + group);
    float weighted[greatest_group];
    // Beyond a row's position p is zero, so d becomes zero.
    for (auto n = begin; n < end; ++n)
      weighted[n - begin] = dot(d + n * d_stride, p + n * p_stride,
                                whole_lanes(first + n + 1, columns));
    for (auto n = begin; n < end; ++n) {
      float* d_row = d + n * d_stride;
      const float* p_row = p + n * p_stride;
      const auto count = whole_lanes(first + n + 1, columns);
      const float shift = weighted[n - begin];
      ACTORPIPE_INDEPENDENT
      for (std::int64_t s = 0; s < count; ++s)
        d_row[s] = scale * p_row[s] * (d_row[s] - shift);
      std::memset(d_row + count, 0,
                  static_cast<std::size_t>(columns - count) * sizeof(float));
    }
  }
}

ACTORPIPE_KERNEL
float log_sum_exp(const float* x, float* scratch, std::int64_t count) {
  const float most = greatest(x, count);
  ACTORPIPE_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i)
    scratch[i] = exp(x[i] - most);
  return most + std::log(sum(scratch, count));
}

ACTORPIPE_KERNEL
void scaled_exp(float* y, const float* x, float shift, float scale,
                std::int64_t count) {
  ACTORPIPE_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i)
    y[i] = scale * exp(x[i] - shift);
}

} // namespace actorpipe::kernels
