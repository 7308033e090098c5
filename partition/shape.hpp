// SPDX-License-Identifier: Apache-2.0
/// What programs are checked and simulated against.
#pragma once

#include "partition/plan.hpp"

#include <cstdint>
#include <vector>

namespace actorpipe {

/// The cells, devices, edges and micro-batches that programs are written for.
/// A device may have any number of cells.
struct pipeline_shape {
  std::vector<std::uint32_t> device_of_cell; ///< K entries
  std::vector<edge> edges;
  std::uint32_t micro_batches = 1; ///< M
  bool training = true;            ///< false: forwards alone
};

/// The shape of a full training step of `x`.
pipeline_shape shape_of(const plan& x);

/// The edges of each cell, by id, in rising order.
struct cell_edges {
  std::vector<std::uint32_t> in; ///< fed ones included
  std::vector<std::uint32_t> out;
};

/// K entries. Throws `std::invalid_argument`, naming the edge, if one does not
/// lead from the feed or from a cell to a later cell.
std::vector<cell_edges> edges_of_cells(const pipeline_shape& shape);

} // namespace actorpipe
