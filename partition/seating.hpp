// SPDX-License-Identifier: Apache-2.0
/// Which device of which node runs which stage, and who keeps whose replica.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace actorpipe {

/// Stands for no node.
inline constexpr std::uint32_t no_node =
  std::numeric_limits<std::uint32_t>::max();

/// A device of a node.
struct seat {
  std::uint32_t node = no_node;
  std::uint32_t device = 0; ///< among the node's

  friend bool operator==(const seat&, const seat&) = default;
};

struct seating_request {
  std::uint32_t stages = 0;
  std::vector<std::uint32_t> devices; ///< per node; 0: the node is not there
  std::vector<std::uint32_t> wished;  ///< a node per stage, or empty
  /// Per stage, or empty: where it runs and stays, unless the node is not
  /// there.
  std::vector<seat> present;
};

/// One device for each stage; nothing that runs is moved. A stage that has no
/// seat goes to the node wished for it, if it has room. Otherwise, when nothing
/// runs yet: as many stages per node as it offers devices, in order; later: to
/// a node without stages, then to one with a free device. Empty: there is no
/// room.
std::optional<std::vector<seat>> seat_stages(const seating_request& request);

/// Per stage the node that keeps the replicas of its cells: another one than
/// its own; `no_node` where there is none. `holders`, per stage or empty, are
/// those that have a replica of it already: one of them is chosen if it can be;
/// else the next node that is there.
std::vector<std::uint32_t>
choose_keepers(std::span<const seat> seats,
               std::span<const std::uint32_t> devices,
               std::span<const std::vector<std::uint32_t>> holders);

} // namespace actorpipe
