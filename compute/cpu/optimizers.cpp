// SPDX-License-Identifier: Apache-2.0
/// Optimiser steps, in pieces of consecutive elements.
#include "compute/cpu/kernels/optimizers.hpp"

#include "compute/cpu/cpu_operations.hpp"
#include "compute/cpu/pieces.hpp"
#include "compute/ops/preconditions.hpp"

#include <cmath>

namespace actorpipe {
namespace {

/// The elements [begin, end) of what every optimiser reads and writes.
class update_ranges {
public:
  update_ranges(const optimizer_args& args, double decay)
    : w_next_(writable_floats(args.w_next)), w_(floats(args.w)),
      d_w_(floats(args.d_w)),
      gradient_scale_(static_cast<float>(args.gradient_scale)),
      decay_(static_cast<float>(decay)) {}

  kernels::update_range operator()(std::int64_t begin, std::int64_t end) const {
    return {w_next_ + begin, w_ + begin,      d_w_ + begin,
            end - begin,     gradient_scale_, decay_};
  }

private:
  float* w_next_;
  const float* w_;
  const float* d_w_;
  float gradient_scale_;
  float decay_;
};

} // namespace

void cpu_operations::sgd_step(const sgd_args& args) {
  const bool has_momentum = args.momentum != 0;
  require_optimizer(args, has_momentum ? 1 : 0);
  const auto rate = static_cast<float>(args.learning_rate);
  const update_ranges range(args, args.weight_decay);
  if (!has_momentum) {
    for_parts(args.w.elements(), piece_elements,
              [&](std::int64_t begin, std::int64_t end) {
                kernels::sgd_step(range(begin, end), rate);
              });
    return;
  }
  const kernels::sgd_factors factors{rate, static_cast<float>(args.momentum),
                                     args.nesterov};
  auto* m_next = writable_floats(args.slots_next[0]);
  const auto* m = floats(args.slots[0]);
  for_parts(args.w.elements(), piece_elements,
            [&](std::int64_t begin, std::int64_t end) {
              kernels::sgd_momentum_step(range(begin, end), m_next + begin,
                                         m + begin, factors);
            });
}

void cpu_operations::rmsprop_step(const rmsprop_args& args) {
  require_optimizer(args, 1);
  const kernels::rmsprop_factors factors{
    static_cast<float>(args.learning_rate), static_cast<float>(args.alpha),
    static_cast<float>(1 - args.alpha), static_cast<float>(args.epsilon)};
  const update_ranges range(args, args.weight_decay);
  auto* v_next = writable_floats(args.slots_next[0]);
  const auto* v = floats(args.slots[0]);
  for_parts(args.w.elements(), piece_elements,
            [&](std::int64_t begin, std::int64_t end) {
              kernels::rmsprop_step(range(begin, end), v_next + begin,
                                    v + begin, factors);
            });
}

void cpu_operations::adam_step(const adam_args& args) {
  require_optimizer(args, 2);
  const auto step = static_cast<double>(args.step);
  const double correction1 = 1 - std::pow(args.beta1, step);
  const double correction2 = 1 - std::pow(args.beta2, step);
  const double kept =
    args.decoupled_decay ? 1 - args.learning_rate * args.weight_decay : 1;
  const kernels::adam_factors factors{
    static_cast<float>(args.learning_rate / correction1),
    static_cast<float>(args.beta1),
    static_cast<float>(1 - args.beta1),
    static_cast<float>(args.beta2),
    static_cast<float>(1 - args.beta2),
    static_cast<float>(1 / std::sqrt(correction2)),
    static_cast<float>(args.epsilon),
    static_cast<float>(kept)};
  const update_ranges range(args, args.decoupled_decay ? 0 : args.weight_decay);
  auto* m_next = writable_floats(args.slots_next[0]);
  auto* v_next = writable_floats(args.slots_next[1]);
  const auto* m = floats(args.slots[0]);
  const auto* v = floats(args.slots[1]);
  for_parts(args.w.elements(), piece_elements,
            [&](std::int64_t begin, std::int64_t end) {
              kernels::adam_step(range(begin, end), m_next + begin,
                                 v_next + begin, m + begin, v + begin, factors);
            });
}

} // namespace actorpipe
