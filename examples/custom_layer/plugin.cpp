// SPDX-License-Identifier: Apache-2.0
/// The layer as a plugin: a shared library that `actorpipe` loads.
#include "swish.hpp"

#include "compute/layers/plugin.hpp"

ACTORPIPE_PLUGIN(register_swish)
