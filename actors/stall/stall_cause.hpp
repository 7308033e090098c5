// SPDX-License-Identifier: Apache-2.0
/// Why a pipeline does not advance: where the waits of its stages end.
#pragma once

#include "actors/stall/wait_graph.hpp"
#include "messages/standing.hpp"
#include "partition/action.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace actorpipe {

/// Where everybody stands at one time.
struct stall_reading {
  std::int64_t now_ns = 0; ///< of a monotonic clock
  std::vector<standing> stages;
  /// Per stage: how long ago its process was last heard of. Empty: all run in
  /// this process.
  std::vector<std::int64_t> silent_ns;
  /// Another number for each request that the scheduler works on; 0: none, or
  /// somebody already sees to it that it goes on. Empty: not known, and then
  /// there is one while a stage computes or waits.
  std::optional<std::uint64_t> request;
  /// Cells whose parameter actors, or the keepers of whose replicas, have not
  /// answered the scheduler; as far as that is known.
  std::vector<std::uint32_t> awaited_cells;
};

/// One place where waits end.
struct stall_cause {
  /// In the order in which causes are named.
  enum class kind : std::uint8_t {
    silent,      ///< `stage` gives no sign of life
    failed,      ///< `stage` failed, and the mini-batch was not ended
    lost,        ///< what `wait` names was sent, and never came
    computing,   ///< `stage` runs `doing` and does not return
    not_started, ///< `stage` has all that `doing` needs; without `doing`: it
                 ///< has not begun the mini-batch
    feed,        ///< what `wait` names did not come from the scheduler
    parameters,  ///< of the cells `members`: they have not answered
    scheduler,   ///< every stage is done, and nothing is known to be awaited
    deadlock,    ///< the stages `members` wait for each other in a circle
  };
  kind what = kind::scheduler;
  std::uint32_t stage = 0;
  std::optional<action> doing;
  std::optional<stage_wait> wait;
  std::vector<std::uint32_t> members;
};

/// The causes, the weightiest first; at least one. A stage that has not been
/// heard of for `lost_after_ns` counts as silent; 0: none does.
///
/// Meant for a pipeline in which nothing has advanced for some time: whoever
/// computes is then taken for a cause.
std::vector<stall_cause> find_causes(const wait_graph& graph,
                                     const stall_reading& reading,
                                     std::int64_t lost_after_ns);

} // namespace actorpipe
