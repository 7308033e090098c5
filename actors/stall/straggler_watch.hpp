// SPDX-License-Identifier: Apache-2.0
/// Finds stages that take much longer than the plan expects of them.
#pragma once

#include "messages/messages.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace actorpipe {

/// What the plan expects of a stage for one micro-batch.
struct planned_times {
  double forward_s = 0; ///< of a recompute too
  double backward_s = 0;
};

/// A stage's slowness in a step is its busy time over its planned time. Who is
/// at least twice as slow as the median of the others in three steps in a row
/// is a straggler, if that has cost it a tenth of a second: what a busy machine
/// does to steps of a few milliseconds says nothing. Only stages are compared
/// with each other, so planned times may be estimates, as long as all are wrong
/// by the same factor. Updates are not counted. One stage alone is none. Used
/// by one thread at a time.
class straggler_watch {
public:
  /// One entry a stage.
  explicit straggler_watch(std::vector<planned_times> planned);

  /// Takes a training step in (`step_report::timeline`) and names who has
  /// become a straggler, one line each, such as
  ///
  ///     stage 3 took 2.4x its planned time in the last 3 steps: forward 12.1
  ///     ms against 5.0 ms, backward 24.0 ms against 10.0 ms
  ///
  /// What it is held against is the plan at the others' pace. A stage is named
  /// again only after three steps in a row in which it kept up. A step that
  /// cannot be judged counts neither way.
  std::vector<std::string>
  add(const std::vector<std::vector<action_record>>& timeline);

private:
  // One stage in one step.
  struct pace {
    double forward_s = 0; ///< of one micro-batch
    double backward_s = 0;
    double planned_s = 0; ///< of the whole step
    double slowness = 0;  ///< busy over planned
    double others = 0;    ///< the median of the others' slowness
    double lost_s = 0;    ///< busy time beyond the plan at the others' pace
    bool is_slow = false;
  };

  struct history {
    planned_times planned;
    std::deque<pace> last;
    bool is_named = false;
  };

  static bool is_straggler(const history& x);
  static std::string describe(std::size_t stage, const history& x);

  std::vector<history> stages_;
};

} // namespace actorpipe
