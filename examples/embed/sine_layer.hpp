// SPDX-License-Identifier: Apache-2.0
/// A layer that the library does not have.
#pragma once

#include <actorpipe/compute/layers/layer_registry.hpp>

namespace embed {

/// Adds the kind "sine": y = sin(frequency * x), [B, ..] -> the same. Values:
/// frequency. (Sitzmann et al. 2020, arXiv 2006.09661.)
void register_sine(actorpipe::layer_registry& registry);

} // namespace embed
