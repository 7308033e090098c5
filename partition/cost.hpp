// SPDX-License-Identifier: Apache-2.0
/// What a layer costs, and the single numbers that a cut compares.
#pragma once

#include "partition/schedule.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace actorpipe {

/// Estimates for one layer. Times and activations are of the greatest
/// micro-batch. Every member is finite and at least 0.
struct layer_estimate {
  double forward_s = 0;
  double backward_s = 0;      ///< input gradient and weight gradient
  double parameter_bytes = 0; ///< of the weights alone
  double saved_bytes = 0;     ///< what the backward needs of the forward
};

/// Per layer: forward and backward, and the forward once more if it is
/// recomputed.
std::vector<double> time_costs(std::span<const layer_estimate> layers,
                               bool recomputed);

/// Per layer: `copies` times the parameters (how many tensors of a weight's
/// size there are at once: versions, moments, gradients) plus what is saved of
/// the micro-batches whose activations a cell holds in full at once: all
/// `micro_batches` if it never recomputes, as under fill-drain, else the one
/// whose backward runs.
///
/// Additive, as a cut needs it, and so without what belongs to a cell and not
/// to its layers: the inputs that it keeps of the other micro-batches in order
/// to recompute, which are the same for every cut where all boundaries are of
/// one size, and the transients. Under 1F1B a later cell holds fewer
/// micro-batches than is counted here. `peak_memory` knows all of that, once
/// there is a cut.
std::vector<double> size_costs(std::span<const layer_estimate> layers,
                               double copies, recompute_mode recompute,
                               std::uint32_t micro_batches);

/// Of consecutive layers together: sums.
layer_estimate cost_of_cell(std::span<const layer_estimate> layers);

/// Throws `std::invalid_argument`, naming the layer, unless every cost is
/// finite and at least 0 and so is their sum.
void require_costs(std::span<const double> costs);

} // namespace actorpipe
