// SPDX-License-Identifier: Apache-2.0
/// How much memory the program of each device needs at its peak.
#include "partition/memory.hpp"

#include "partition/check.hpp"
#include "partition/in_flight.hpp"
#include "partition/require_count.hpp"
#include "partition/stash.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace actorpipe {

namespace {

double transient(const cell_memory& x, action_kind kind, stash_change change) {
  switch (kind) {
  case action_kind::forward:
    return change == stash_change::full ? x.kept_forward_transient
                                        : x.forward_transient;
  case action_kind::recompute:
    return x.recompute_transient;
  case action_kind::backward:
    return x.backward_transient;
  case action_kind::input_gradient:
    return x.input_gradient_transient;
  case action_kind::weight_gradient:
    return x.weight_gradient_transient;
  case action_kind::update:
    return x.update_transient;
  }
  return 0;
}

// By how much an action changes what the cell holds.
double growth(const cell_memory& x, action_kind kind, stash_change change) {
  switch (change) {
  case stash_change::none:
    return 0;
  case stash_change::boundary:
    return x.boundary;
  case stash_change::full:
    return x.saved;
  case stash_change::restore:
    return x.saved - x.boundary;
  case stash_change::split:
    return x.split - x.saved;
  case stash_change::release:
    return kind == action_kind::backward ? -x.saved : -x.split;
  }
  return 0;
}

} // namespace

std::vector<device_memory> peak_memory(std::span<const program> programs,
                                       const pipeline_shape& shape,
                                       std::span<const cell_memory> cells) {
  require_count("a prediction of memory", "figures, one for each cell",
                cells.size(), shape.device_of_cell.size());
  const auto report = check(programs, shape);
  if (!report.ok())
    throw std::invalid_argument("programs that cannot be run\n"
                                + to_string(report.faults));
  std::vector<device_memory> result(programs.size());
  for (std::size_t cell = 0; cell < cells.size(); ++cell)
    result[shape.device_of_cell[cell]].fixed_bytes += cells[cell].fixed;
  const auto edges = in_flight_bytes(programs, shape);
  for (std::size_t device = 0; device < programs.size(); ++device) {
    auto& memory = result[device];
    memory.peak_bytes = memory.fixed_bytes;
    auto held = memory.fixed_bytes;
    const auto changes = stash_changes(programs[device]);
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const auto& step = programs[device][i];
      const auto& cell = cells[step.cell];
      const auto grown = growth(cell, step.kind, changes[i]);
      const auto peak = held + std::max(grown, 0.0)
                      + transient(cell, step.kind, changes[i])
                      + edges[device][i];
      held += grown;
      memory.peak_bytes = std::max(memory.peak_bytes, peak);
    }
  }
  return result;
}

} // namespace actorpipe
