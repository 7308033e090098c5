// SPDX-License-Identifier: Apache-2.0
/// The mean loss of a mini-batch from the sums of its micro-batches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace actorpipe {

/// What sums of losses and their gradients are divided by: the counted targets
/// of the whole mini-batch. A mini-batch in which none counts has loss 0 and
/// gradient 0.
inline double loss_normalizer(std::int64_t counted_targets) {
  return static_cast<double>(std::max<std::int64_t>(counted_targets, 1));
}

/// The sums of the micro-batches added in index order, over the normaliser.
inline double mean_loss(std::span<const double> sums, double normalizer) {
  double sum = 0;
  for (const double x : sums)
    sum += x;
  return sum / normalizer;
}

} // namespace actorpipe
