// SPDX-License-Identifier: Apache-2.0
/// Cuts: which layers make which cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace actorpipe {

/// What makes one cut better than another.
enum class cut_objective : std::uint8_t {
  largest,  ///< a smaller largest cell: what bounds the pipeline
  variance, ///< a smaller variance of the cells' costs: the GPipe paper
};

/// The best cut of `costs.size()` layers into K = `cells` cells that are not
/// empty: K + 1 boundaries, cell k holds layers [cut[k], cut[k + 1]). Among
/// equally good cuts, the one whose first boundary is latest, then the second,
/// and so on. No layers at all make one empty cell.
///
/// Throws `std::invalid_argument` for K = 0, more cells than layers, or a cost
/// that is negative or not finite.
std::vector<std::size_t> make_cut(std::span<const double> costs,
                                  std::uint32_t cells, cut_objective objective);

/// Throws `std::invalid_argument`, with both numbers, if that many layers
/// cannot be cut into that many cells.
void require_cells(std::size_t layers, std::uint32_t cells);

/// The cost of each cell: its layers' costs added in order.
std::vector<double> cell_costs(std::span<const double> costs,
                               std::span<const std::size_t> cut);

} // namespace actorpipe
