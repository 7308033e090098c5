// SPDX-License-Identifier: Apache-2.0
/// What layers have in common unless they say otherwise.
#include "compute/layers/layer.hpp"

#include <stdexcept>

namespace actorpipe {

std::uint64_t inner_layer_id(std::uint64_t holder, std::size_t index) noexcept {
  // The finaliser of SplitMix64 (Steele et al., "Fast splittable pseudorandom
  // number generators", OOPSLA 2014) over a sequence that starts at `holder`.
  std::uint64_t x = holder + 0x9e3779b97f4a7c15U * (index + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

tensor_list layer::backward(layer_context& ctx, const tensor_list& d_y,
                            const layer_weights& w, tensor_list& d_w,
                            saved_state& saved) const {
  auto d_x = backward_input(ctx, d_y, w, saved);
  backward_weight(ctx, d_w, saved);
  saved = {};
  return d_x;
}

tensor_list layer::commit_state(operations&, const tensor_list& states,
                                const tensor_list&, std::int64_t) const {
  if (!states.empty())
    throw std::logic_error("a layer with states does not say how they are "
                           "committed: override commit_state");
  return {};
}

} // namespace actorpipe
