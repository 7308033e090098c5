// SPDX-License-Identifier: Apache-2.0
/// One step of each optimiser on one parameter, element by element.
#include "compute/ops/preconditions.hpp"
#include "compute/reference/by_type.hpp"
#include "compute/reference/reference_operations.hpp"

#include <cmath>

namespace actorpipe {
namespace {

/// The gradient after clipping and, unless decoupled, weight decay.
template <class T>
double gradient_at(const optimizer_args& args, std::int64_t i,
                   bool decays = true) {
  const double scaled = args.d_w.data<T>()[i] * args.gradient_scale;
  return decays ? scaled + args.weight_decay * args.w.data<T>()[i] : scaled;
}

} // namespace

/// m = momentum m + g; w -= rate m, or rate (g + momentum m) after Nesterov.
void reference_operations::sgd_step(const sgd_args& args) {
  const bool has_momentum = args.momentum != 0;
  require_optimizer(args, has_momentum ? 1 : 0);
  auto w_next = args.w_next;
  auto slots_next = args.slots_next;
  by_float_type(args.w.element(), [&]<class T>(T) {
    for (std::int64_t i = 0; i < args.w.elements(); ++i) {
      const double g = gradient_at<T>(args, i);
      double step = g;
      if (has_momentum) {
        const double m = args.momentum * args.slots[0].data<T>()[i] + g;
        slots_next[0].data<T>()[i] = static_cast<T>(m);
        step = args.nesterov ? g + args.momentum * m : m;
      }
      w_next.data<T>()[i] =
        static_cast<T>(args.w.data<T>()[i] - args.learning_rate * step);
    }
  });
}

/// v = alpha v + (1 - alpha) g^2; w -= rate g / (sqrt(v) + epsilon). (Hinton,
/// Neural networks for machine learning, lecture 6, 2012.)
void reference_operations::rmsprop_step(const rmsprop_args& args) {
  require_optimizer(args, 1);
  auto w_next = args.w_next;
  auto v_next = args.slots_next[0];
  by_float_type(args.w.element(), [&]<class T>(T) {
    for (std::int64_t i = 0; i < args.w.elements(); ++i) {
      const double g = gradient_at<T>(args, i);
      const double v =
        args.alpha * args.slots[0].data<T>()[i] + (1 - args.alpha) * g * g;
      v_next.data<T>()[i] = static_cast<T>(v);
      w_next.data<T>()[i] = static_cast<T>(args.w.data<T>()[i]
                                           - args.learning_rate * g
                                               / (std::sqrt(v) + args.epsilon));
    }
  });
}

/// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
/// w -= rate m' / (sqrt(v') + epsilon) with m' = m / (1 - beta1^t),
/// v' = v / (1 - beta2^t). (Kingma and Ba 2015, arXiv 1412.6980; decoupled
/// decay: Loshchilov and Hutter 2019, arXiv 1711.05101.)
void reference_operations::adam_step(const adam_args& args) {
  require_optimizer(args, 2);
  const auto step = static_cast<double>(args.step);
  const double correction1 = 1 - std::pow(args.beta1, step);
  const double correction2 = 1 - std::pow(args.beta2, step);
  auto w_next = args.w_next;
  auto m_next = args.slots_next[0];
  auto v_next = args.slots_next[1];
  by_float_type(args.w.element(), [&]<class T>(T) {
    for (std::int64_t i = 0; i < args.w.elements(); ++i) {
      const double g = gradient_at<T>(args, i, !args.decoupled_decay);
      const double m =
        args.beta1 * args.slots[0].data<T>()[i] + (1 - args.beta1) * g;
      const double v =
        args.beta2 * args.slots[1].data<T>()[i] + (1 - args.beta2) * g * g;
      double w = args.w.data<T>()[i];
      if (args.decoupled_decay)
        w -= args.learning_rate * args.weight_decay * w;
      w -= args.learning_rate * (m / correction1)
         / (std::sqrt(v / correction2) + args.epsilon);
      m_next.data<T>()[i] = static_cast<T>(m);
      v_next.data<T>()[i] = static_cast<T>(v);
      w_next.data<T>()[i] = static_cast<T>(w);
    }
  });
}

} // namespace actorpipe
