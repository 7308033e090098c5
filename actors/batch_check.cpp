// SPDX-License-Identifier: Apache-2.0
/// The checks of a mini-batch.
#include "actors/batch_check.hpp"

#include <exception>
#include <vector>

namespace actorpipe {

namespace {

std::optional<std::string> find_sample_fault(const plan& how, const batch& data,
                                             std::int64_t largest,
                                             std::int64_t micro_batches) {
  const auto samples = data.samples();
  if (samples < 1)
    return "a batch has at least one sample";
  for (const auto& x : data.inputs)
    if (x.extents().rank() == 0 || x.extents()[0] != samples)
      return "the inputs " + to_string(types_of(data.inputs))
           + " and the targets " + to_string(data.targets.type())
           + " do not have the same number of samples";
  if (largest > how.micro_batch_samples)
    return "a batch of " + std::to_string(samples) + " samples in "
         + std::to_string(micro_batches) + " micro-batches has up to "
         + std::to_string(largest) + " samples each; the plan allows "
         + std::to_string(how.micro_batch_samples);
  return std::nullopt;
}

// Tensors that enter `cell`, or its targets, against the edges that bring them.
std::optional<std::string>
find_edge_fault(const plan& how, std::uint32_t cell,
                const std::vector<tensor_type>& types, bool targets,
                std::int64_t samples) {
  std::size_t edges = 0;
  for (const auto& crossing : how.edges) {
    if (crossing.to != cell || crossing.is_target != targets)
      continue;
    ++edges;
    if (crossing.ordinal >= types.size())
      continue;
    const auto& whole = types[crossing.ordinal];
    const tensor_type part{whole.type, whole.extents.with_front(samples)};
    if (part.size_bytes() > crossing.bytes)
      return to_string(part) + " into cell " + std::to_string(cell)
           + " is larger than planned: " + crossing.type;
  }
  if (edges != types.size())
    return std::to_string(types.size()) + " tensors enter cell "
         + std::to_string(cell) + ", and the plan has " + std::to_string(edges)
         + " edges for them";
  return std::nullopt;
}

} // namespace

std::optional<std::string> find_batch_fault(const model& source,
                                            const plan& how, const batch& data,
                                            std::int64_t micro_batches) {
  const auto largest = (data.samples() + micro_batches - 1) / micro_batches;
  if (auto fault = find_sample_fault(how, data, largest, micro_batches))
    return fault;
  try {
    const auto types = source.boundaries(types_of(data.inputs));
    source.loss().check(types.back(), data.targets.type());
    for (std::uint32_t cell = 0; cell < how.cells(); ++cell)
      if (auto fault =
            find_edge_fault(how, cell, types[how.cut[cell]], false, largest))
        return fault;
    return find_edge_fault(how, how.cells() - 1, {data.targets.type()}, true,
                           largest);
  } catch (const std::exception& error) {
    return error.what();
  }
}

} // namespace actorpipe
