// SPDX-License-Identifier: Apache-2.0
/// Sums over rows and of squares, in fixed blocks.
#pragma once

#include <cstdint>

namespace actorpipe::kernels {

/// Columns that one call of a column kernel sums.
inline constexpr std::int64_t strip_columns = 64;

/// sums[c] += sum over rows of x[n * stride + c] for c < columns <=
/// `strip_columns`.
void column_sum(float* sums, const float* x, std::int64_t rows,
                std::int64_t columns, std::int64_t stride);

/// d_gamma[c] += sum over rows of d_y * (x - mean[n]) * rstd[n], and
/// d_beta[c] += sum over rows of d_y, for c < columns <= `strip_columns`.
void layer_norm_weight_sum(float* d_gamma, float* d_beta, const float* d_y,
                           const float* x, const float* mean, const float* rstd,
                           std::int64_t rows, std::int64_t columns,
                           std::int64_t stride);

/// The sum of x[i]^2, in double.
double sum_of_squares(const float* x, std::int64_t count);

} // namespace actorpipe::kernels
