// SPDX-License-Identifier: Apache-2.0
/// The activation functions and their derivatives, in double.
#pragma once

#include "compute/ops/operations.hpp"

#include <cmath>
#include <numbers>

namespace actorpipe {

inline constexpr double gelu_slope =
  std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
inline constexpr double gelu_cubic = 0.044715;

/// `gelu` is the tanh approximation (Hendrycks and Gimpel 2016, arXiv
/// 1606.08415).
inline double activate(activation_kind kind, double x) {
  switch (kind) {
  case activation_kind::none:
    return x;
  case activation_kind::gelu:
    return 0.5 * x * (1 + std::tanh(gelu_slope * (x + gelu_cubic * x * x * x)));
  case activation_kind::relu:
    return x > 0 || std::isnan(x) ? x : 0;
  case activation_kind::tanh:
    return std::tanh(x);
  }
  return x;
}

inline double activation_derivative(activation_kind kind, double x) {
  switch (kind) {
  case activation_kind::none:
    return 1;
  case activation_kind::gelu: {
    const double t = std::tanh(gelu_slope * (x + gelu_cubic * x * x * x));
    return 0.5 * (1 + t)
         + 0.5 * x * (1 - t * t) * gelu_slope * (1 + 3 * gelu_cubic * x * x);
  }
  case activation_kind::relu:
    return x > 0 ? 1 : 0;
  case activation_kind::tanh: {
    const double t = std::tanh(x);
    return 1 - t * t;
  }
  }
  return 1;
}

} // namespace actorpipe
