// SPDX-License-Identifier: Apache-2.0
/// Feeds the micro-batches of one mini-batch over the plan's feed edges.
#pragma once

#include "compute/data/batch.hpp"
#include "messages/messages.hpp"
#include "messages/payload.hpp"
#include "partition/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace actorpipe {

/// Hands out inputs and targets in the order in which the receiving cell's
/// forwards stand in its program, as far as the receiver has granted credits.
class feed {
public:
  /// `micro_batches` are views of one mini-batch.
  feed(const plan& how, const std::vector<program>& programs,
       std::vector<batch> micro_batches, const work_id& id);

  /// False when that tensor was not handed out, or its credit is back already.
  bool note_credit(const credit& returned);

  struct item {
    std::uint32_t cell; ///< the receiver
    edge_data header;
    payload data;
  };

  /// What may be sent now; each item is handed out once.
  std::vector<item> take_ready();

private:
  struct lane {
    std::uint32_t edge;
    std::uint32_t cell;
    std::uint32_t ordinal;
    bool is_target;
    std::uint32_t credits;
    std::vector<std::uint32_t> order; ///< micro-batches
    std::size_t next = 0;
    std::set<std::uint32_t> credited; ///< micro-batches
  };

  work_id id_;
  std::vector<batch> micro_batches_;
  std::vector<lane> lanes_;
};

} // namespace actorpipe
