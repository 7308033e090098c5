// SPDX-License-Identifier: Apache-2.0
/// Loops over elements. `y` may be one of the inputs.
#pragma once

#include "compute/ops/operations.hpp"

#include <cstdint>

namespace actorpipe::kernels {

/// y[i] = a[i] + b[i]
void add(float* y, const float* a, const float* b, std::int64_t count);

/// y[i] = activation(x[i])
void activation_forward(activation_kind kind, float* y, const float* x,
                        std::int64_t count);

/// d_x[i] = d_y[i] * activation'(x[i])
void activation_backward(activation_kind kind, float* d_x, const float* d_y,
                         const float* x, std::int64_t count);

/// One row of a product's epilogue: pre[i] = sum[i] + bias[i];
/// y[i] = activation(pre[i]). `bias` is null for none. `pre` and `y` may be
/// `sum`, and each other.
void bias_activation(activation_kind kind, float* y, float* pre,
                     const float* sum, const float* bias, std::int64_t count);

/// A word of random bits for each element: y[i] = x[i] * scale where
/// bits[i] >= threshold, else 0.
void keep(float* y, const float* x, const std::uint32_t* bits,
          std::uint32_t threshold, float scale, std::int64_t count);

/// The random bits of elements [4 first, 4 (first + blocks)) of one sample.
void sample_bits(std::uint32_t* bits, random_key key, std::uint64_t first,
                 std::uint64_t sample, std::int64_t blocks);

} // namespace actorpipe::kernels
