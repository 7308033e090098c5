// SPDX-License-Identifier: Apache-2.0
/// Layer normalisation of a range of rows (Ba et al. 2016, arXiv 1607.06450).
#pragma once

#include <cstdint>

namespace actorpipe::kernels {

/// y, x: [rows, columns]; mean, rstd: [rows]; gamma, beta: [columns].
void layer_norm_forward(float* y, float* mean, float* rstd, const float* x,
                        const float* gamma, const float* beta, float epsilon,
                        std::int64_t rows, std::int64_t columns);

/// `d_x` may be `d_y`.
void layer_norm_backward_input(float* d_x, const float* d_y, const float* x,
                               const float* mean, const float* rstd,
                               const float* gamma, std::int64_t rows,
                               std::int64_t columns);

} // namespace actorpipe::kernels
