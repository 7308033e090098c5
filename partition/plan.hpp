// SPDX-License-Identifier: Apache-2.0
/// A plan: the cut, which device gets which cells, the edges, the programs.
#pragma once

#include "partition/action.hpp"
#include "partition/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace actorpipe {

/// One tensor that crosses from cell to cell, from the feed to a cell, or from
/// the feed to the loss. Its gradient, where it has one, crosses the other way
/// under the same id.
struct edge {
  /// Stands for the scheduler, which feeds inputs and targets.
  static constexpr std::uint32_t feed = 0xffffffffU;

  std::uint32_t from = feed; ///< cell, or `feed`
  std::uint32_t to = 0;      ///< cell
  std::uint32_t ordinal = 0; ///< among the tensors between the two
  bool is_target = false;    ///< feeds the loss of the last cell
  bool needs_gradient = false;
  std::string type;          ///< greatest, such as "f32[4, 128, 256]"
  std::int64_t bytes = 0;    ///< greatest, of one micro-batch
  std::uint32_t credits = 2; ///< messages in flight, each way

  friend bool operator==(const edge&, const edge&) = default;
};

/// Everything that the actors are told before step 1.
struct plan {
  /// Cell k holds layers [cut[k], cut[k + 1]); K + 1 entries.
  std::vector<std::size_t> cut;
  std::vector<std::uint32_t> device_of_cell;
  std::vector<edge> edges; ///< an edge's id is its index
  schedule_kind schedule = schedule_kind::fill_drain;
  recompute_mode recompute = recompute_mode::except_one;
  std::uint32_t micro_batches = 1;
  /// The most samples in one micro-batch that the edges were planned for.
  std::int64_t micro_batch_samples = 1;
  /// Per device, for a full step with `micro_batches` micro-batches.
  std::vector<program> programs;

  std::uint32_t cells() const {
    return static_cast<std::uint32_t>(device_of_cell.size());
  }
  std::uint32_t devices() const {
    return static_cast<std::uint32_t>(programs.size());
  }
};

} // namespace actorpipe
