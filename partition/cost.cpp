// SPDX-License-Identifier: Apache-2.0
/// What a layer costs, and the single numbers that a cut compares.
#include "partition/cost.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace actorpipe {

std::vector<double> time_costs(std::span<const layer_estimate> layers,
                               bool recomputed) {
  std::vector<double> result;
  result.reserve(layers.size());
  for (const auto& x : layers)
    result.push_back(x.forward_s + x.backward_s
                     + (recomputed ? x.forward_s : 0));
  return result;
}

std::vector<double> size_costs(std::span<const layer_estimate> layers,
                               double copies, recompute_mode recompute,
                               std::uint32_t micro_batches) {
  const double in_full = recompute == recompute_mode::never ? micro_batches : 1;
  std::vector<double> result;
  result.reserve(layers.size());
  for (const auto& x : layers)
    result.push_back(copies * x.parameter_bytes + in_full * x.saved_bytes);
  return result;
}

layer_estimate cost_of_cell(std::span<const layer_estimate> layers) {
  layer_estimate result;
  for (const auto& x : layers) {
    result.forward_s += x.forward_s;
    result.backward_s += x.backward_s;
    result.parameter_bytes += x.parameter_bytes;
    result.saved_bytes += x.saved_bytes;
  }
  return result;
}

void require_costs(std::span<const double> costs) {
  double sum = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (!std::isfinite(costs[i]) || costs[i] < 0)
      throw std::invalid_argument(
        "layer " + std::to_string(i) + " costs " + std::to_string(costs[i])
        + ": a cost has to be finite and not negative");
    sum += costs[i];
  }
  if (!std::isfinite(sum))
    throw std::invalid_argument("the sum of the layers' costs is not finite");
}

} // namespace actorpipe
