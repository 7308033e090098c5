// SPDX-License-Identifier: Apache-2.0
/// Estimating each layer's cost from its arithmetic and its bytes.
#include "compute/model/profile_sizes.hpp"

#include <algorithm>

namespace actorpipe {

model_profile estimate(const model& source, const device_speed& speed,
                       const std::vector<tensor_type>& inputs,
                       const tensor_type& targets) {
  const auto at = source.boundaries(inputs);
  source.loss().check(at.back(), targets);
  auto result = profile_sizes(source, at);
  const auto fill = [&](layer_profile& one, const layer_cost& cost) {
    const auto moving = cost.moved_bytes / speed.bytes_per_second;
    one.forward_seconds =
      std::max(cost.forward_flops / speed.flops_per_second, moving);
    one.backward_seconds =
      std::max(cost.backward_flops / speed.flops_per_second, 2 * moving);
  };
  for (std::size_t i = 0; i < source.size(); ++i)
    fill(result.layers[i], source.at(i).cost(at[i]));
  const auto bytes = static_cast<double>(total_bytes(at.back()));
  fill(result.loss, {4 * bytes, 2 * bytes, bytes});
  return result;
}

} // namespace actorpipe
