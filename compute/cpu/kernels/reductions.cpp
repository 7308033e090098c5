// SPDX-License-Identifier: Apache-2.0
/// Sums over rows: eight rows are added first, then each eight to the strip's
/// sums, in row order.
#include "compute/cpu/kernels/reductions.hpp"

#include "compute/cpu/kernels/lanes.hpp"

namespace actorpipe::kernels {
namespace {

constexpr std::int64_t block_rows = 8;

/// sums[c] += the given rows' values.
ACTORPIPE_INLINE void add_rows(float* sums, const float* x, std::int64_t rows,
                               std::int64_t columns, std::int64_t stride) {
  std::int64_t n = 0;
  for (; n + block_rows <= rows; n += block_rows) {
    const float* block = x + n * stride;
    ACTORPIPE_INDEPENDENT
    for (std::int64_t c = 0; c < columns; ++c) {
      const float* at = block + c;
      sums[c] += ((at[0] + at[stride]) + (at[2 * stride] + at[3 * stride]))
               + ((at[4 * stride] + at[5 * stride])
                  + (at[6 * stride] + at[7 * stride]));
    }
  }
  for (; n < rows; ++n) {
    ACTORPIPE_INDEPENDENT
    for (std::int64_t c = 0; c < columns; ++c)
      sums[c] += x[n * stride + c];
  }
}

/// The same for the products with the normalised rows. Requires `rows` <=
/// `block_rows`.
ACTORPIPE_INLINE void add_weight_rows(float* gamma_sums, float* beta_sums,
                                      const float* d_y, const float* x,
                                      const float* mean, const float* rstd,
                                      std::int64_t rows, std::int64_t columns,
                                      std::int64_t stride) {
  float gamma_block[strip_columns] = {};
  float beta_block[strip_columns] = {};
  for (std::int64_t n = 0; n < rows; ++n) {
    const float mu = mean[n];
    const float r = rstd[n];
    ACTORPIPE_INDEPENDENT
    for (std::int64_t c = 0; c < columns; ++c) {
      const float dy = d_y[n * stride + c];
      gamma_block[c] += dy * ((x[n * stride + c] - mu) * r);
      beta_block[c] += dy;
    }
  }
  ACTORPIPE_INDEPENDENT
  for (std::int64_t c = 0; c < columns; ++c) {
    gamma_sums[c] += gamma_block[c];
    beta_sums[c] += beta_block[c];
  }
}

} // namespace

ACTORPIPE_KERNEL
void column_sum(float* sums, const float* x, std::int64_t rows,
                std::int64_t columns, std::int64_t stride) {
  float strip[strip_columns] = {};
  // A whole strip has a length that the compiler knows.
  if (columns == strip_columns)
    add_rows(strip, x, rows, strip_columns, stride);
  else
    add_rows(strip, x, rows, columns, stride);
  for (std::int64_t c = 0; c < columns; ++c)
    sums[c] += strip[c];
}

ACTORPIPE_KERNEL
void layer_norm_weight_sum(float* d_gamma, float* d_beta, const float* d_y,
                           const float* x, const float* mean, const float* rstd,
                           std::int64_t rows, std::int64_t columns,
                           std::int64_t stride) {
  float gamma_strip[strip_columns] = {};
  float beta_strip[strip_columns] = {};
  for (std::int64_t n = 0; n < rows; n += block_rows) {
    const auto count = rows - n < block_rows ? rows - n : block_rows;
    const auto* d_y_block = d_y + n * stride;
    const auto* x_block = x + n * stride;
    if (columns == strip_columns)
      add_weight_rows(gamma_strip, beta_strip, d_y_block, x_block, mean + n,
                      rstd + n, count, strip_columns, stride);
    else
      add_weight_rows(gamma_strip, beta_strip, d_y_block, x_block, mean + n,
                      rstd + n, count, columns, stride);
  }
  for (std::int64_t c = 0; c < columns; ++c) {
    d_gamma[c] += gamma_strip[c];
    d_beta[c] += beta_strip[c];
  }
}

ACTORPIPE_KERNEL
double sum_of_squares(const float* x, std::int64_t count) {
  constexpr std::int64_t width = 8;
  using double_lanes [[gnu::vector_size(64)]] = double;
  using float_half [[gnu::vector_size(32)]] = float;
  double_lanes even = {};
  double_lanes odd = {};
  std::int64_t i = 0;
  for (; i + 2 * width <= count; i += 2 * width) {
    float_half low;
    float_half high;
    std::memcpy(&low, x + i, sizeof(low));
    std::memcpy(&high, x + i + width, sizeof(high));
    const auto low_wide = __builtin_convertvector(low, double_lanes);
    const auto high_wide = __builtin_convertvector(high, double_lanes);
    even += low_wide * low_wide;
    odd += high_wide * high_wide;
  }
  double tail = 0;
  for (; i < count; ++i)
    tail += static_cast<double>(x[i]) * x[i];
  const double_lanes lanes = even + odd;
  for (std::int64_t lane = 0; lane < width; ++lane)
    tail += lanes[lane];
  return tail;
}

} // namespace actorpipe::kernels
