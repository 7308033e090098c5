// SPDX-License-Identifier: Apache-2.0
/// Clipping by the global norm (Pascanu et al. 2013, arXiv 1211.5063).
#pragma once

#include <span>

namespace actorpipe {

/// The norm over all parameters, from each parameter's sum of squares in model
/// order; added in that order, in double.
double global_norm(std::span<const double> sums_of_squares);

/// What gradients are multiplied by so that their norm is at most `max_norm`;
/// 1 when it is already, or when `max_norm` is 0 (no clipping).
double clip_factor(double norm, double max_norm);

} // namespace actorpipe
