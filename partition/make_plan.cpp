// SPDX-License-Identifier: Apache-2.0
/// Makes a plan out of costs, boundaries and a schedule.
#include "partition/make_plan.hpp"

#include "partition/check.hpp"
#include "partition/cut_by_hand.hpp"
#include "partition/grid.hpp"
#include "partition/require_count.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace actorpipe {

namespace {

constexpr std::size_t most_faults_shown = 8;

std::vector<std::size_t> cut_layers(const plan_options& options) {
  if (options.balance.empty()) {
    require_cells(options.layers, options.cells);
    require_count("a plan", "costs of layers", options.costs.size(),
                  options.layers);
    return make_cut(options.costs, options.cells, options.objective);
  }
  require_count("a plan", "entries in the balance, one for each cell",
                options.balance.size(), options.cells);
  return cut_by_hand(options.balance, options.layers);
}

void lay_edges(const plan_options& options, std::uint32_t from,
               std::uint32_t to, const std::vector<boundary_tensor>& tensors,
               bool is_target, std::vector<edge>& edges) {
  std::uint32_t ordinal = 0;
  for (const auto& x : edges)
    ordinal += x.from == from && x.to == to;
  for (const auto& x : tensors)
    edges.push_back({from, to, ordinal++, is_target,
                     x.needs_gradient && from != edge::feed, x.type, x.bytes,
                     options.credits});
}

void require_known(const plan& x) {
  if (!parse_schedule(to_string(x.schedule)))
    throw plan_error("schedule number "
                     + std::to_string(static_cast<int>(x.schedule))
                     + " of the plan is unknown");
  if (!parse_recompute(to_string(x.recompute)))
    throw plan_error("recompute mode number "
                     + std::to_string(static_cast<int>(x.recompute))
                     + " of the plan is unknown");
}

void require_micro_batches(const plan& x) {
  if (x.micro_batches < 1)
    throw plan_error("a plan needs at least one micro-batch, but there are 0");
  if (x.micro_batch_samples < 1)
    throw plan_error("a micro-batch needs at least one sample, but the plan "
                     "is for "
                     + std::to_string(x.micro_batch_samples));
}

void require_cut(const plan& x) {
  require_count("a plan", "boundaries in its cut", x.cut.size(),
                x.device_of_cell.size() + 1);
  for (std::size_t k = 0; k + 1 < x.cut.size(); ++k)
    if (x.cut[k + 1] <= x.cut[k] && x.cut.back() > 0)
      throw plan_error("cell " + std::to_string(k) + " of the plan is empty");
}

} // namespace

plan make_plan(const plan_options& options) {
  plan result;
  result.cut = cut_layers(options);
  require_count("a plan", "lists of boundary tensors",
                options.boundaries.size(), options.layers + 1);
  result.device_of_cell.resize(options.cells);
  std::iota(result.device_of_cell.begin(), result.device_of_cell.end(), 0U);
  lay_edges(options, edge::feed, 0, options.boundaries[0], false, result.edges);
  for (std::uint32_t k = 1; k < options.cells; ++k)
    lay_edges(options, k - 1, k, options.boundaries[result.cut[k]], false,
              result.edges);
  lay_edges(options, edge::feed, options.cells - 1, options.targets, true,
            result.edges);
  result.schedule = options.schedule;
  result.recompute = options.recompute;
  result.micro_batches = options.micro_batches;
  result.programs = make_training_programs(
    {options.schedule, options.recompute, options.micro_batches,
     result.device_of_cell, options.cells});
  require_valid(result);
  return result;
}

void require_valid(const plan& x) {
  require_known(x);
  require_micro_batches(x);
  require_cut(x);
  const auto shape = shape_of(x);
  const auto report = check(x.programs, shape);
  if (report.ok())
    return;
  const auto count = report.faults.size();
  const std::span shown(report.faults.data(),
                        std::min(count, most_faults_shown));
  auto message = "the programs of the plan cannot be run\n" + to_string(shown);
  if (count > shown.size())
    message += "\nand " + std::to_string(count - shown.size()) + " more";
  throw plan_error(message + '\n' + to_grid(x.programs, shown));
}

} // namespace actorpipe
