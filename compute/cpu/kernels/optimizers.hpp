// SPDX-License-Identifier: Apache-2.0
/// One step of an optimiser on a range of elements.
#pragma once

#include <cstdint>

namespace actorpipe::kernels {

/// What every optimiser reads and writes.
struct update_range {
  float* w_next;
  const float* w;
  const float* d_w;
  std::int64_t count;
  float gradient_scale;
  float decay; ///< added to the gradient, times w
};

struct sgd_factors {
  float rate;
  float momentum;
  bool nesterov;
};

/// Without momentum.
void sgd_step(const update_range& range, float rate);

void sgd_momentum_step(const update_range& range, float* m_next, const float* m,
                       const sgd_factors& factors);

struct rmsprop_factors {
  float rate;
  float alpha;
  float one_less_alpha;
  float epsilon;
};

void rmsprop_step(const update_range& range, float* v_next, const float* v,
                  const rmsprop_factors& factors);

struct adam_factors {
  float rate; ///< divided by the first moment's correction
  float beta1;
  float one_less_beta1;
  float beta2;
  float one_less_beta2;
  float v_factor; ///< multiplies sqrt(v): the second moment's correction
  float epsilon;
  float keep; ///< multiplies w first: the decoupled decay
};

void adam_step(const update_range& range, float* m_next, float* v_next,
               const float* m, const float* v, const adam_factors& factors);

} // namespace actorpipe::kernels
