// SPDX-License-Identifier: Apache-2.0
/// What a device holds between forward and backward, action by action.
#pragma once

#include "partition/check.hpp"

namespace actorpipe {

/// How one action changes what its cell holds of its micro-batch.
enum class stash_change : std::uint8_t {
  none,
  boundary, ///< of a forward that is recomputed: its inputs are held
  full,     ///< of any other forward: all that the backward needs is held
  restore,  ///< of a recompute: from boundary to full
  split,    ///< of an input gradient: from full to what `W` needs
  release,  ///< of a full backward or a weight gradient
};

/// One entry for each action of a valid program; all `none` in a program that
/// has no backward.
std::vector<stash_change> stash_changes(const program& steps);

/// The peak over a valid program.
device_stash peak_stash(const program& steps);

} // namespace actorpipe
