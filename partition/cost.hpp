// SPDX-License-Identifier: Apache-2.0
/// What a layer costs, and the single numbers that a cut compares.
#pragma once

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
  double boundary_bytes = 0;  ///< of the tensors that leave the layer
  double transient_bytes = 0; ///< peak while it runs, beyond the others
};

/// Per layer: forward and backward, and the forward once more if it is
/// recomputed.
std::vector<double> time_costs(std::span<const layer_estimate> layers,
                               bool recomputed);

/// Per layer: `copies` times the parameters (weights, gradient and moments:
/// 4 for Adam) plus what is saved of `micro_batches` micro-batches.
std::vector<double> size_costs(std::span<const layer_estimate> layers,
                               double copies, double micro_batches);

/// Of consecutive layers together: sums, but the boundary of the last and the
/// greatest transient.
layer_estimate cost_of_cell(std::span<const layer_estimate> layers);

/// Throws `std::invalid_argument`, naming the layer, unless every cost is
/// finite and at least 0 and so is their sum.
void require_costs(std::span<const double> costs);

} // namespace actorpipe
