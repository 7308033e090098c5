// SPDX-License-Identifier: Apache-2.0
/// Cuts: which layers make which cell.
#include "partition/cut.hpp"

#include "partition/cost.hpp"
#include "partition/cut_largest.hpp"
#include "partition/cut_variance.hpp"

#include <stdexcept>
#include <string>

namespace actorpipe {

std::vector<std::size_t> make_cut(std::span<const double> costs,
                                  std::uint32_t cells,
                                  cut_objective objective) {
  require_cells(costs.size(), cells);
  require_costs(costs);
  return objective == cut_objective::largest ? cut_by_largest(costs, cells)
                                             : cut_by_variance(costs, cells);
}

void require_cells(std::size_t layers, std::uint32_t cells) {
  if (cells == 0)
    throw std::invalid_argument("a pipeline needs at least one cell");
  if (cells > layers && cells > 1)
    throw std::invalid_argument(
      std::to_string(cells) + " cells, but the model has only "
      + std::to_string(layers)
      + " layers: ask for at most one cell for each layer");
}

std::vector<double> cell_costs(std::span<const double> costs,
                               std::span<const std::size_t> cut) {
  std::vector<double> result;
  for (std::size_t k = 0; k + 1 < cut.size(); ++k) {
    double sum = 0;
    for (auto i = cut[k]; i < cut[k + 1]; ++i)
      sum += costs[i];
    result.push_back(sum);
  }
  return result;
}

} // namespace actorpipe
