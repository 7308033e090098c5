// SPDX-License-Identifier: Apache-2.0
/// The newest version that every cell can produce.
#include "partition/restoration.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace actorpipe {

namespace {

bool has_own(const cell_remains& cell, std::int64_t version) {
  return std::ranges::find(cell.own, version) != cell.own.end();
}

bool can_produce(const cell_remains& cell, std::int64_t version) {
  return version == 0 || has_own(cell, version)
      || std::ranges::find(cell.replicas, version, &kept_replica::version)
           != cell.replicas.end();
}

} // namespace

restoration choose_restoration(std::span<const cell_remains> cells,
                               std::int64_t committed) {
  std::set<std::int64_t, std::greater<>> candidates;
  for (const auto& cell : cells) {
    candidates.insert(cell.own.begin(), cell.own.end());
    for (const auto& x : cell.replicas)
      candidates.insert(x.version);
  }
  restoration result;
  for (const auto version : candidates)
    if (version <= committed
        && std::ranges::all_of(cells, [&](const cell_remains& cell) {
             return can_produce(cell, version);
           })) {
      result.version = version;
      break;
    }
  for (const auto& cell : cells) {
    const auto found =
      std::ranges::find(cell.replicas, result.version, &kept_replica::version);
    result.source_of_cell.push_back(has_own(cell, result.version)
                                        || found == cell.replicas.end()
                                      ? no_node
                                      : found->node);
  }
  return result;
}

} // namespace actorpipe
