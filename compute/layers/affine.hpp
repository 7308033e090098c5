// SPDX-License-Identifier: Apache-2.0
/// The products of y = x W^T + b, which several layers use.
#pragma once

#include "compute/ops/operations.hpp"

#include <cstdint>

namespace actorpipe {

/// y[.., O] = activation(x[.., I] W[O, I]^T + b[O]); `b` may be undefined.
/// `pre_activation`, where defined, receives what the activation was applied
/// to.
tensor affine_forward(operations& ops, const tensor& x, const tensor& weight,
                      const tensor& bias,
                      activation_kind activation = activation_kind::none,
                      const tensor& pre_activation = {});

/// Returns d_x[.., I] = d_y[.., O] W[O, I].
tensor affine_backward_input(operations& ops, const tensor& d_y,
                             const tensor& weight);

/// d_weight[O, I] += d_y[.., O]^T x[.., I]; d_bias[O] += sum of d_y over its
/// rows (may be undefined).
void affine_backward_weight(operations& ops, const tensor& d_y, const tensor& x,
                            const tensor& d_weight, const tensor& d_bias);

/// Floating-point operations of the forward: 2 N I O. The backward takes twice
/// as many.
double affine_flops(std::int64_t rows, std::int64_t inputs,
                    std::int64_t outputs);

} // namespace actorpipe
