// SPDX-License-Identifier: Apache-2.0
/// Cutting of mini-batches.
#include "compute/data/batch.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace actorpipe {

std::vector<sample_range> cut_batch(std::int64_t samples,
                                    std::int64_t micro_batches) {
  if (samples < 1)
    throw std::invalid_argument("a mini-batch has at least 1 sample, got "
                                + std::to_string(samples));
  if (micro_batches < 1)
    throw std::invalid_argument("there is at least 1 micro-batch, got "
                                + std::to_string(micro_batches));
  const auto count = std::min(samples, micro_batches);
  const auto size = samples / count;
  const auto larger = samples % count;
  std::vector<sample_range> result;
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto end = begin + size + (i < larger ? 1 : 0);
    result.push_back({begin, end});
    begin = end;
  }
  return result;
}

batch slice(const batch& whole, const sample_range& range) {
  batch result;
  for (const auto& x : whole.inputs)
    result.inputs.push_back(x.rows(range.begin, range.end));
  if (whole.targets.defined())
    result.targets = whole.targets.rows(range.begin, range.end);
  return result;
}

} // namespace actorpipe
