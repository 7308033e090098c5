// SPDX-License-Identifier: Apache-2.0
/// The part of a profile that needs no device: names and sizes.
#pragma once

#include "compute/model/profile.hpp"
#include "compute/model/total_bytes.hpp"

#include <utility>

namespace actorpipe {

/// `at` is what `model::boundaries` returned.
inline model_profile
profile_sizes(const model& source,
              const std::vector<std::vector<tensor_type>>& at) {
  model_profile result;
  for (std::size_t i = 0; i < source.size(); ++i) {
    layer_profile one;
    one.name = source.name(i);
    for (const auto& use : source.at(i).parameters())
      one.parameter_bytes +=
        static_cast<double>(tensor_type{dtype::f32, use.extents}.size_bytes());
    one.output_bytes = static_cast<double>(total_bytes(at[i + 1]));
    result.layers.push_back(std::move(one));
  }
  result.loss.name = "loss";
  result.loss.output_bytes = size_bytes(dtype::f64);
  return result;
}

} // namespace actorpipe
