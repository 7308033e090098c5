// SPDX-License-Identifier: Apache-2.0
/// A plugin that was built for another version of the project.
#include "compute/layers/plugin.hpp"

#include <stdexcept>

const char* actorpipe_plugin_abi() {
  return "actorpipe 0.0.1";
}

void actorpipe_register_layers(actorpipe::layer_registry&) {
  throw std::logic_error("a plugin of another version is not called");
}
