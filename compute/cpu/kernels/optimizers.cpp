// SPDX-License-Identifier: Apache-2.0
/// Optimiser steps, each one loop that reads and writes everything once.
#include "compute/cpu/kernels/optimizers.hpp"

#include "compute/cpu/kernels/multiversion.hpp"

#include <cmath>

namespace actorpipe::kernels {
namespace {

/// The gradient after clipping and weight decay.
ACTORPIPE_INLINE float gradient(const update_range& range, std::int64_t i) {
  return range.d_w[i] * range.gradient_scale + range.decay * range.w[i];
}

} // namespace

ACTORPIPE_KERNEL
void sgd_step(const update_range& range, float rate) {
  ACTORPIPE_INDEPENDENT
  for (std::int64_t i = 0; i < range.count; ++i)
    range.w_next[i] = range.w[i] - rate * gradient(range, i);
}

ACTORPIPE_KERNEL
void sgd_momentum_step(const update_range& range, float* m_next, const float* m,
                       const sgd_factors& factors) {
  const auto [rate, momentum, nesterov] = factors;
  ACTORPIPE_INDEPENDENT
  for (std::int64_t i = 0; i < range.count; ++i) {
    const float g = gradient(range, i);
    const float next = momentum * m[i] + g;
    const float step = nesterov ? g + momentum * next : next;
    m_next[i] = next;
    range.w_next[i] = range.w[i] - rate * step;
  }
}

ACTORPIPE_KERNEL
void rmsprop_step(const update_range& range, float* v_next, const float* v,
                  const rmsprop_factors& factors) {
  const auto [rate, alpha, one_less_alpha, epsilon] = factors;
  ACTORPIPE_INDEPENDENT
  for (std::int64_t i = 0; i < range.count; ++i) {
    const float g = gradient(range, i);
    const float next = alpha * v[i] + one_less_alpha * (g * g);
    v_next[i] = next;
    range.w_next[i] = range.w[i] - rate * g / (std::sqrt(next) + epsilon);
  }
}

ACTORPIPE_KERNEL
void adam_step(const update_range& range, float* m_next, float* v_next,
               const float* m, const float* v, const adam_factors& factors) {
  const auto [rate, beta1, one_less_beta1, beta2, one_less_beta2, v_factor,
              epsilon, keep] = factors;
  ACTORPIPE_INDEPENDENT
  for (std::int64_t i = 0; i < range.count; ++i) {
    const float g = gradient(range, i);
    const float next_m = beta1 * m[i] + one_less_beta1 * g;
    const float next_v = beta2 * v[i] + one_less_beta2 * (g * g);
    m_next[i] = next_m;
    v_next[i] = next_v;
    range.w_next[i] = range.w[i] * keep
                    - rate * next_m / (std::sqrt(next_v) * v_factor + epsilon);
  }
}

} // namespace actorpipe::kernels
