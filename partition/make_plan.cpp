// SPDX-License-Identifier: Apache-2.0
/// Makes a plan out of costs, boundaries and a schedule.
#include "partition/make_plan.hpp"

#include "partition/check.hpp"
#include "partition/cut_by_hand.hpp"
#include "partition/grid.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace actorpipe {

namespace {

constexpr std::size_t most_faults_shown = 8;

void require_count(const char* what, std::size_t is, std::size_t wanted) {
  if (is != wanted)
    throw std::invalid_argument(std::string("a plan needs ")
                                + std::to_string(wanted) + ' ' + what
                                + ", but there are " + std::to_string(is));
}

std::vector<std::size_t> cut_layers(const plan_options& options) {
  if (options.balance.empty()) {
    require_cells(options.layers, options.cells);
    require_count("costs of layers", options.costs.size(), options.layers);
    return make_cut(options.costs, options.cells, options.objective);
  }
  require_count("entries in the balance, one for each cell",
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

void require_cut(const plan& x) {
  require_count("boundaries in its cut", x.cut.size(),
                x.device_of_cell.size() + 1);
  for (std::size_t k = 0; k + 1 < x.cut.size(); ++k)
    if (x.cut[k + 1] <= x.cut[k] && x.cut.back() > 0)
      throw plan_error("cell " + std::to_string(k) + " of the plan is empty");
}

} // namespace

plan make_plan(const plan_options& options) {
  plan result;
  result.cut = cut_layers(options);
  require_count("lists of boundary tensors", options.boundaries.size(),
                options.layers + 1);
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
