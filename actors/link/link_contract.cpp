// SPDX-License-Identifier: Apache-2.0
/// Comparing a frame with what was agreed on.
#include "actors/link/link_contract.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace actorpipe {

namespace {

bool fits(const tensor_type& came, const tensor_type& greatest,
          bool front_varies) {
  if (came == greatest)
    return true;
  if (!front_varies || came.type != greatest.type || came.extents.rank() == 0
      || came.extents.rank() != greatest.extents.rank()
      || came.extents[0] > greatest.extents[0])
    return false;
  // Row by row: with more rows it need not be a shape.
  return std::ranges::equal(came.extents.extents().subspan(1),
                            greatest.extents.extents().subspan(1));
}

} // namespace

std::optional<std::string> find_misfit(const link_contract& agreed,
                                       const frame_header& frame) {
  const auto run = run_of(frame.message);
  if (run != agreed.run())
    return fmt::format("{} is of run {}, and this is run {}",
                       to_string(frame.message), run, agreed.run());
  const auto wanted = agreed.find(frame.message);
  if (!wanted)
    return to_string(frame.message) + " does not belong here";
  if (frame.count != wanted->types.size())
    return fmt::format("{} has {} tensors, and {} were agreed on",
                       to_string(frame.message), frame.count,
                       wanted->types.size());
  if (frame.count == 0)
    return std::nullopt;
  const auto& greatest = wanted->types[frame.ordinal];
  if (!fits(frame.type, greatest, wanted->front_varies))
    return fmt::format(
      "tensor {} of {} is {}, and {}{} was agreed on", frame.ordinal,
      to_string(frame.message), to_string(frame.type),
      wanted->front_varies ? "at most " : "", to_string(greatest));
  return std::nullopt;
}

} // namespace actorpipe
