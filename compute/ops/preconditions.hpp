// SPDX-License-Identifier: Apache-2.0
/// What each operation requires of its arguments, asserted the same way by
/// every implementation, the counting one included.
#pragma once

#include "compute/ops/operations.hpp"

namespace actorpipe {

/// Asserts that all are of one type and shape.
void require_alike(const tensor& a, const tensor& b);
void require_alike(const tensor& a, const tensor& b, const tensor& c);

void require_matmul(const matmul_args& args);
void require_column_sum(const tensor& d_b, const tensor& d_y);
void require_scalar_f64(const tensor& y);
void require_layer_norm(const tensor& y, const tensor& mean, const tensor& rstd,
                        const tensor& x, const tensor& per_column);
void require_attention(const tensor& qkv, const tensor& y,
                       const tensor& probabilities, std::int64_t heads);
void require_embedding(const tensor& y, const tensor& tokens,
                       const tensor& table, const tensor& positions);
void require_cross_entropy(const tensor& logits, const tensor& log_sum_exp,
                           const tensor& targets);
void require_optimizer(const optimizer_args& args, std::size_t slots);

} // namespace actorpipe
