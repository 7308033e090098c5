// SPDX-License-Identifier: Apache-2.0
/// How a shared library with layers of its own shows them to the programs that
/// load it.
#pragma once

#include "compute/layers/layer_registry.hpp"

/// What a plugin and the program that loads it must agree on: the layout and
/// the meaning of everything below `compute`, which may change with every
/// version of the project.
#define ACTORPIPE_PLUGIN_ABI "actorpipe 0.1.0"

extern "C" {

/// The `ACTORPIPE_PLUGIN_ABI` that the plugin was compiled with.
const char* actorpipe_plugin_abi();

/// Adds the plugin's kinds. What it throws reaches whoever loads the plugin.
void actorpipe_register_layers(actorpipe::layer_registry& into);
}

/// Stands once in a plugin, outside of any namespace, and defines the two
/// functions above. `register_function` takes an `actorpipe::layer_registry&`:
///
///     ACTORPIPE_PLUGIN(register_swish)
///
/// A plugin is compiled with this project's headers and linked with none of its
/// libraries: what it calls is in the program that loads it.
#define ACTORPIPE_PLUGIN(register_function)                                    \
  extern "C" __attribute__((visibility("default"))) const char*                \
  actorpipe_plugin_abi() {                                                     \
    return ACTORPIPE_PLUGIN_ABI;                                               \
  }                                                                            \
  extern "C" __attribute__((visibility("default"))) void                       \
  actorpipe_register_layers(::actorpipe::layer_registry& into) {               \
    register_function(into);                                                   \
  }
