// SPDX-License-Identifier: Apache-2.0
/// Layer normalisation, a row at a time while it is in the nearest cache.
#include "compute/cpu/kernels/layer_norm.hpp"

#include "compute/cpu/kernels/lanes.hpp"

#include <cmath>

namespace actorpipe::kernels {
namespace {

ACTORPIPE_INLINE float row_sum(const float* x, std::int64_t count) {
  float_lanes sum = {};
  float_lanes value;
  std::int64_t i = 0;
  for (; i + lane_count <= count; i += lane_count) {
    load(value, x + i);
    sum += value;
  }
  load_some(value, x + i, count - i);
  sum += value;
  return fold(sum);
}

/// The sum of (x - center)^2.
ACTORPIPE_INLINE float row_squares(const float* x, float center,
                                   std::int64_t count) {
  float_lanes sum = {};
  float_lanes value;
  std::int64_t i = 0;
  for (; i + lane_count <= count; i += lane_count) {
    load(value, x + i);
    value -= center;
    sum += value * value;
  }
  for (std::int64_t lane = 0; i < count; ++i, ++lane)
    sum[lane] += (x[i] - center) * (x[i] - center);
  return fold(sum);
}

struct gradient_sums {
  float plain;      ///< of d_y gamma
  float normalized; ///< of d_y gamma (x - mean) rstd
};

ACTORPIPE_INLINE gradient_sums row_gradient_sums(const float* d_y,
                                                 const float* x,
                                                 const float* gamma, float mu,
                                                 float r, std::int64_t count) {
  float_lanes plain = {};
  float_lanes normalized = {};
  float_lanes dy;
  float_lanes g;
  float_lanes value;
  std::int64_t i = 0;
  for (; i < count; i += lane_count) {
    if (i + lane_count <= count) {
      load(dy, d_y + i);
      load(g, gamma + i);
      load(value, x + i);
    } else {
      load_some(dy, d_y + i, count - i);
      load_some(g, gamma + i, count - i);
      load_some(value, x + i, count - i);
    }
    dy *= g;
    plain += dy;
    normalized += dy * ((value - mu) * r);
  }
  return {fold(plain), fold(normalized)};
}

} // namespace

ACTORPIPE_KERNEL
void layer_norm_forward(float* y, float* mean, float* rstd, const float* x,
                        const float* gamma, const float* beta, float epsilon,
                        std::int64_t rows, std::int64_t columns) {
  const auto count = static_cast<float>(columns);
  for (std::int64_t n = 0; n < rows; ++n) {
    const float* x_row = x + n * columns;
    float* y_row = y + n * columns;
    const float mu = row_sum(x_row, columns) / count;
    const float variance = row_squares(x_row, mu, columns) / count;
    const float r = 1.0F / std::sqrt(variance + epsilon);
    mean[n] = mu;
    rstd[n] = r;
    ACTORPIPE_INDEPENDENT
    for (std::int64_t c = 0; c < columns; ++c)
      y_row[c] = (x_row[c] - mu) * r * gamma[c] + beta[c];
  }
}

ACTORPIPE_KERNEL
void layer_norm_backward_input(float* d_x, const float* d_y, const float* x,
                               const float* mean, const float* rstd,
                               const float* gamma, std::int64_t rows,
                               std::int64_t columns) {
  const auto count = static_cast<float>(columns);
  for (std::int64_t n = 0; n < rows; ++n) {
    const float* x_row = x + n * columns;
    const float* d_y_row = d_y + n * columns;
    float* d_x_row = d_x + n * columns;
    const float mu = mean[n];
    const float r = rstd[n];
    const auto [plain, normalized] =
      row_gradient_sums(d_y_row, x_row, gamma, mu, r, columns);
    const float shift = plain / count;
    const float slope = normalized / count;
    ACTORPIPE_INDEPENDENT
    for (std::int64_t c = 0; c < columns; ++c)
      d_x_row[c] =
        (d_y_row[c] * gamma[c] - shift - (x_row[c] - mu) * r * slope) * r;
  }
}

} // namespace actorpipe::kernels
