// SPDX-License-Identifier: Apache-2.0
/// Where each action of a set of programs stands.
#include "partition/placement.hpp"

#include <stdexcept>
#include <string>

namespace actorpipe {

namespace {

constexpr std::size_t kinds = 5; // those with a micro-batch: F R B I W

std::size_t kind_index(action_kind kind) noexcept {
  switch (kind) {
  case action_kind::recompute:
    return 1;
  case action_kind::backward:
    return 2;
  case action_kind::input_gradient:
    return 3;
  case action_kind::weight_gradient:
    return 4;
  default:
    return 0;
  }
}

// Why an action has no place on a device; empty if it has one.
std::string misplaced(const action& x, std::uint32_t device,
                      const pipeline_shape& shape) {
  const auto cells = shape.device_of_cell.size();
  if (x.cell >= cells)
    return "is of a cell that is not there: there are " + std::to_string(cells)
         + " cells";
  if (shape.device_of_cell[x.cell] != device)
    return "belongs on device " + std::to_string(shape.device_of_cell[x.cell]);
  if (!shape.training && x.kind != action_kind::forward)
    return "has no place in an evaluation, which runs forwards alone";
  if (x.kind == action_kind::update)
    return x.micro_batch == 0 ? "" : "is an update of a micro-batch, not 0";
  if (x.micro_batch >= shape.micro_batches)
    return "is of a micro-batch that is not there: there are "
         + std::to_string(shape.micro_batches) + " micro-batches";
  return "";
}

} // namespace

placement::placement(std::span<const program> programs,
                     const pipeline_shape& shape,
                     std::vector<program_fault>& faults)
  : micro_batches_(shape.micro_batches),
    positions_(shape.device_of_cell.size() * micro_batches_ * kinds, absent),
    updates_(shape.device_of_cell.size(), absent) {
  for (std::size_t cell = 0; cell < shape.device_of_cell.size(); ++cell)
    if (shape.device_of_cell[cell] >= programs.size())
      throw std::invalid_argument(
        "cell " + std::to_string(cell) + " is on device "
        + std::to_string(shape.device_of_cell[cell]) + ", but there are "
        + std::to_string(programs.size()) + " programs");
  for (std::uint32_t device = 0; device < programs.size(); ++device)
    for (std::uint32_t at = 0; at < programs[device].size(); ++at) {
      const auto& x = programs[device][at];
      auto why = misplaced(x, device, shape);
      if (why.empty()) {
        auto& place = x.kind == action_kind::update ? updates_[x.cell]
                                                    : positions_[slot(x)];
        if (place == absent)
          place = at;
        else
          why =
            "runs a second time, first at position " + std::to_string(place);
      }
      if (!why.empty())
        faults.push_back({device, at, x, to_string(x) + " " + why});
    }
}

std::size_t placement::slot(const action& x) const noexcept {
  return (std::size_t{x.cell} * micro_batches_ + x.micro_batch) * kinds
       + kind_index(x.kind);
}

} // namespace actorpipe
