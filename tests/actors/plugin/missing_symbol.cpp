// SPDX-License-Identifier: Apache-2.0
/// A plugin that calls what the program does not have.
#include "compute/layers/plugin.hpp"

void from_a_later_version(actorpipe::layer_registry& into);

ACTORPIPE_PLUGIN(from_a_later_version)
