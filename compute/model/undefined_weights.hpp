// SPDX-License-Identifier: Apache-2.0
/// Weights of a layer that is run to see what it costs.
#pragma once

#include "compute/layers/layer.hpp"

namespace actorpipe {

/// The weights and the state of `what`, with undefined values.
inline layer_weights make_undefined_weights(const layer& what,
                                            operations& ops) {
  layer_weights w;
  for (const auto& use : what.parameters())
    w.parameters.push_back(ops.make({dtype::f32, use.extents}));
  for (const auto& use : what.states())
    w.states.push_back(ops.make({dtype::f32, use.extents}));
  return w;
}

} // namespace actorpipe
