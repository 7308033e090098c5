// SPDX-License-Identifier: Apache-2.0
/// Which version a run goes on from after a loss, and who has it.
#pragma once

#include "partition/seating.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace actorpipe {

/// A version of a cell that a node keeps for another.
struct kept_replica {
  std::uint32_t node = no_node;
  std::int64_t version = 0;
};

/// What is left of one cell.
struct cell_remains {
  std::vector<std::int64_t> own; ///< versions of its parameter actor, if alive
  std::vector<kept_replica> replicas;
};

struct restoration {
  std::int64_t version = 0;
  /// Per cell: the node whose replica it is restored from; `no_node`: its
  /// parameter actor has the version, or makes version 0 from the seed.
  std::vector<std::uint32_t> source_of_cell;
};

/// The newest version, none newer than `committed`, that every cell can
/// produce. Version 0 can always be made from the seed.
restoration choose_restoration(std::span<const cell_remains> cells,
                               std::int64_t committed);

} // namespace actorpipe
