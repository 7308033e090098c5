// SPDX-License-Identifier: Apache-2.0
/// Where a stage stands: what it does or waits for, and since when.
#pragma once

#include "messages/work_id.hpp"
#include "partition/action.hpp"

#include <cstdint>
#include <vector>

namespace actorpipe {

/// One thing that a stage's next action waits for.
struct missing {
  enum class what : std::uint8_t {
    tensor = 1, ///< of the edge, that the action takes
    credit,     ///< of the edge, that the action writes
    weights,    ///< of the step's version, from the cell `edge` owns them
  };
  what kind = what::tensor;
  std::uint32_t edge = 0; ///< for `weights`: the owning cell
  bool gradient = false;
  std::uint32_t micro_batch = 0;

  friend bool operator==(const missing&, const missing&) = default;
};

/// A stage publishes it before and after each action and whenever it begins to
/// wait, so that others read it while a handler computes.
struct standing {
  enum class state : std::uint8_t {
    idle = 1,  ///< no mini-batch at hand
    computing, ///< `next` runs
    waiting,   ///< `next` waits for `lacks`
    done,      ///< the program is at its end
    failed,    ///< the mini-batch failed here
  };
  std::uint32_t stage = 0;
  work_id id;
  state how = state::idle;
  action next;
  std::uint32_t cursor = 0; ///< actions done
  /// Nanoseconds since this began, at the time of reading.
  std::int64_t for_ns = 0;
  std::vector<missing> lacks;
};

} // namespace actorpipe
