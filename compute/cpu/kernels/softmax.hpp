// SPDX-License-Identifier: Apache-2.0
/// Softmax of rows, causal and whole.
#pragma once

#include <cstdint>

namespace actorpipe::kernels {

/// Makes probabilities of the scores of `rows` queries in place: row n, whose
/// position is first + n, keeps softmax(scale * p[n, 0 .. first + n]); the rest
/// of its `stride` values becomes zero. Requires scale > 0.
void causal_softmax(float* p, float scale, std::int64_t first,
                    std::int64_t rows, std::int64_t stride);

/// The gradient of the scores from that of the probabilities, in place:
/// d[n, s] = scale * p[n, s] * (d[n, s] - sum_s p[n, s] d[n, s]) up to the
/// row's position; zero up to `columns`.
void causal_softmax_backward(float* d, std::int64_t d_stride, const float* p,
                             std::int64_t p_stride, float scale,
                             std::int64_t first, std::int64_t rows,
                             std::int64_t columns);

/// log(sum_i exp(x[i])), with `scratch` of as many values. Requires count > 0.
float log_sum_exp(const float* x, float* scratch, std::int64_t count);

/// y[i] = scale * exp(x[i] - shift)
void scaled_exp(float* y, const float* x, float shift, float scale,
                std::int64_t count);

} // namespace actorpipe::kernels
