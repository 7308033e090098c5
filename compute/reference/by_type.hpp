// SPDX-License-Identifier: Apache-2.0
/// Calls a function template with the C++ type of a tensor's elements.
#pragma once

#include "compute/tensor/types.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace actorpipe {

/// Calls `f` with a zero of the element's type. Throws `std::invalid_argument`
/// for a type that is not floating-point.
template <class F>
void by_float_type(dtype type, F f) {
  switch (type) {
  case dtype::f32:
    return f(float{});
  case dtype::f64:
    return f(double{});
  default:
    throw std::invalid_argument("this operation takes f32 or f64, not "
                                + std::string(to_string(type)));
  }
}

} // namespace actorpipe
