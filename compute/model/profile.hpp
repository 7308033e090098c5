// SPDX-License-Identifier: Apache-2.0
/// What each layer of a model costs: measured on a device, or estimated.
#pragma once

#include "compute/device/device.hpp"
#include "compute/model/model.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace actorpipe {

/// The cost of one layer for one micro-batch; plain numbers, to be copied to
/// whoever decides about the cut.
struct layer_profile {
  std::string name;
  double forward_seconds = 0;
  double backward_seconds = 0;
  double parameter_bytes = 0;
  double output_bytes = 0; ///< of what crosses to the next layer
};

struct model_profile {
  std::vector<layer_profile> layers; ///< as in the model
  layer_profile loss;                ///< runs where the last layer does
};

/// Runs every layer by itself on `where`, forward and backward, `repeats` times
/// after a warm-up, and takes the median. Floating-point inputs are random,
/// others zero. `inputs` and `targets` are of one micro-batch. Throws
/// `model_error` or `layer_error`.
model_profile measure(const model& source, device& where,
                      const std::vector<tensor_type>& inputs,
                      const tensor_type& targets, std::size_t repeats);

/// The same from the layers' own estimates for a device of the given speed;
/// deterministic. A layer takes as long as its arithmetic or the moving of its
/// bytes, whichever is longer.
struct device_speed {
  double flops_per_second = 1e11;
  double bytes_per_second = 2e10;
};
model_profile estimate(const model& source, const device_speed& speed,
                       const std::vector<tensor_type>& inputs,
                       const tensor_type& targets);

} // namespace actorpipe
