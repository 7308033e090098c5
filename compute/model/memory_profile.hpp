// SPDX-License-Identifier: Apache-2.0
/// How many bytes a cell needs, found by a dry run that computes nothing.
#pragma once

#include "compute/model/cell.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace actorpipe {

/// Bytes of one cell for one micro-batch. A peak counts all tensors of that
/// micro-batch that exist at once, inputs and outputs among them, and no other
/// micro-batch's stash. Weights and their gradients count apart.
struct cell_footprint {
  std::int64_t input_bytes = 0;  ///< of what enters the first layer
  std::int64_t output_bytes = 0; ///< of what the last layer puts out
  std::int64_t target_bytes = 0; ///< in the cell with the loss

  /// What stays between the forward and the backward of a micro-batch, kept
  /// inputs included, targets not.
  std::int64_t stash_everything_bytes = 0;
  std::int64_t stash_inputs_bytes = 0;

  /// Peaks of a forward, by what it keeps.
  std::int64_t forward_everything_peak_bytes = 0;
  std::int64_t forward_inputs_peak_bytes = 0;
  std::int64_t forward_nothing_peak_bytes = 0;
  /// Peak of the forward that is run again from the kept inputs.
  std::int64_t recompute_peak_bytes = 0;
  /// Peak of the backward from a full stash and the gradient of the outputs.
  std::int64_t backward_peak_bytes = 0;

  std::int64_t parameter_bytes = 0; ///< what the cell's layers read
  std::int64_t gradient_bytes = 0;  ///< one sum per use of a parameter
};

/// Runs a forward, a recompute and a backward of `work` on a device that only
/// counts. `inputs` are the types of one micro-batch's tensors where they enter
/// the cell; `targets` is given for the cell with the loss. Throws
/// `layer_error`.
cell_footprint profile_memory(const cell& work,
                              const std::vector<tensor_type>& inputs,
                              const std::optional<tensor_type>& targets,
                              bool needs_input_gradient);

} // namespace actorpipe
