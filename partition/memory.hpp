// SPDX-License-Identifier: Apache-2.0
/// How much memory the program of each device needs at its peak.
#pragma once

#include "partition/action.hpp"
#include "partition/shape.hpp"

#include <span>
#include <vector>

namespace actorpipe {

/// What one cell holds, in bytes, of one micro-batch where nothing else is
/// said. A transient is the peak while the action runs, beyond all that is
/// held before it, held after it, or written to edges by it.
struct cell_memory {
  double fixed = 0;    ///< always: weights, gradients, moments, state
  double boundary = 0; ///< from a forward to its recompute
  double saved = 0;    ///< from a forward or recompute to the backward
  double split = 0;    ///< from an input gradient to the weight gradient
  double forward_transient = 0;      ///< of a forward that keeps the boundary
  double kept_forward_transient = 0; ///< of a forward that keeps all
  double recompute_transient = 0;
  double backward_transient = 0;
  double input_gradient_transient = 0;
  double weight_gradient_transient = 0;
  double update_transient = 0;
};

/// The peak of one device.
struct device_memory {
  double fixed_bytes = 0;
  double peak_bytes = 0; ///< fixed ones included
};

/// The peak of every device over valid programs, for any timing. A tensor on
/// an edge counts for the device that wrote it, a fed one for the device that
/// reads it, until the action that takes it starts; then what that action
/// keeps of it is in the figures of the reader. There are as many on an edge
/// as its credits allow, less those that the reader must have taken by then:
/// a backward, say, has a gradient from the next cell, so that cell has
/// started all that stands before that gradient in its program.
///
/// `cells` has K entries. Throws `std::invalid_argument` if it has not, or if
/// the programs fail `check`. Time: O(actions).
std::vector<device_memory> peak_memory(std::span<const program> programs,
                                       const pipeline_shape& shape,
                                       std::span<const cell_memory> cells);

} // namespace actorpipe
