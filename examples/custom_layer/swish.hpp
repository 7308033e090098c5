// SPDX-License-Identifier: Apache-2.0
/// Makes the layer "swish" known.
#pragma once

#include "compute/layers/layer_registry.hpp"

/// Adds the kind "swish", which takes a `width`. Throws `std::invalid_argument`
/// when there is one already.
void register_swish(actorpipe::layer_registry& into);
