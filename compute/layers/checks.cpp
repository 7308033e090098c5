// SPDX-License-Identifier: Apache-2.0
/// The checks of input types and their messages.
#include "compute/layers/checks.hpp"

#include "compute/layers/model_spec.hpp"

#include <fmt/format.h>

namespace actorpipe {

const tensor_type& single_input(const std::vector<tensor_type>& inputs) {
  if (inputs.size() != 1)
    throw model_error(
      fmt::format("takes one tensor, got {}", to_string(inputs)));
  return inputs.front();
}

const tensor_type& floating_input(const std::vector<tensor_type>& inputs) {
  const auto& x = single_input(inputs);
  if (!is_differentiable(x.type) || x.extents.rank() == 0)
    throw model_error(
      fmt::format("takes f32 or f64 [B, ..], got {}", to_string(x)));
  return x;
}

const tensor_type& floating_input(const std::vector<tensor_type>& inputs,
                                  std::int64_t width) {
  const auto& x = floating_input(inputs);
  if (x.extents.rank() < 2 || x.extents.back() != width)
    throw model_error(
      fmt::format("takes f32 or f64 [B, .., {}], got {}", width, to_string(x)));
  return x;
}

tensor as_rows(const tensor& x) {
  return x.reshaped({x.extents().rows(), x.extents().back()});
}

} // namespace actorpipe
