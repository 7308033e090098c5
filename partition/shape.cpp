// SPDX-License-Identifier: Apache-2.0
/// What programs are checked and simulated against.
#include "partition/shape.hpp"

#include <stdexcept>
#include <string>

namespace actorpipe {

namespace {

std::string describe(std::uint32_t id, const edge& x) {
  const auto from = x.from == edge::feed ? std::string("the feed")
                                         : "cell " + std::to_string(x.from);
  return "edge " + std::to_string(id) + " from " + from + " to cell "
       + std::to_string(x.to);
}

} // namespace

pipeline_shape shape_of(const plan& x) {
  return {x.device_of_cell, x.edges, x.micro_batches, true};
}

std::vector<cell_edges> edges_of_cells(const pipeline_shape& shape) {
  const auto cells = shape.device_of_cell.size();
  std::vector<cell_edges> result(cells);
  for (std::uint32_t id = 0; id < shape.edges.size(); ++id) {
    const auto& x = shape.edges[id];
    const bool fed = x.from == edge::feed;
    if (x.to >= cells || (!fed && x.from >= x.to))
      throw std::invalid_argument(describe(id, x)
                                  + " does not lead to a later one of the "
                                  + std::to_string(cells) + " cells");
    if (fed && x.needs_gradient)
      throw std::invalid_argument(
        describe(id, x) + " needs a gradient, but the feed takes none");
    result[x.to].in.push_back(id);
    if (!fed)
      result[x.from].out.push_back(id);
  }
  return result;
}

} // namespace actorpipe
