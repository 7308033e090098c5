// SPDX-License-Identifier: Apache-2.0
/// A plugin that adds one kind and then one that is there already.
#include "compute/layers/plugin.hpp"

namespace {

void register_layers(actorpipe::layer_registry& into) {
  const auto none = [](const actorpipe::layer_spec&,
                       const actorpipe::layer_registry&) {
    return std::unique_ptr<actorpipe::layer>();
  };
  into.add("half", none);
  into.add("linear", none);
}

} // namespace

ACTORPIPE_PLUGIN(register_layers)
