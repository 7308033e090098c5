// SPDX-License-Identifier: Apache-2.0
/// A mini-batch and how it is cut into micro-batches.
#pragma once

#include "compute/tensor/tensor.hpp"

#include <cstdint>
#include <vector>

namespace actorpipe {

/// A mini-batch: inputs and targets with B samples along the first dimension,
/// in host memory.
struct batch {
  tensor_list inputs;
  tensor targets;

  std::int64_t samples() const {
    return targets.defined() ? targets.extents()[0] : 0;
  }
};

/// A part [begin, end) of a mini-batch's samples.
struct sample_range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend bool operator==(const sample_range&, const sample_range&) = default;
};

/// Cuts B samples into min(B, M) micro-batches whose sizes differ by at most
/// one, the larger ones first. Requires B >= 1 and M >= 1.
std::vector<sample_range> cut_batch(std::int64_t samples,
                                    std::int64_t micro_batches);

/// Views of the samples of `range`; shares memory.
batch slice(const batch& whole, const sample_range& range);

} // namespace actorpipe
