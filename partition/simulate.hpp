// SPDX-License-Identifier: Apache-2.0
/// When every action of a step would run, and how long devices would idle.
#pragma once

#include "partition/action.hpp"
#include "partition/execution.hpp"
#include "partition/shape.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace actorpipe {

struct timed_action {
  action what;
  double start_s = 0;
  double end_s = 0;
};

struct simulation_options {
  std::vector<cell_durations> durations; ///< K entries; of one micro-batch
  /// From the end of the writer to the arrival; one entry for each edge, or
  /// none for no latency. A credit returns at once.
  std::vector<double> latency_s;
  /// No update starts before every other action of all devices has ended, as
  /// under the scheduler. Needs programs whose updates are last.
  bool update_barrier = false;
};

struct simulation {
  std::vector<std::vector<timed_action>> timeline; ///< per device
  double makespan_s = 0;      ///< the end of the last action
  std::vector<double> busy_s; ///< per device: the sum of its actions
  /// 1 - (sum of busy) / (devices * makespan); 0 for a makespan of 0. Counts
  /// recomputes and updates as busy.
  double bubble_fraction = 0;
};

/// Runs programs by the rules of `execute`. Throws `std::invalid_argument` if
/// they fail `check`, or if the options do not fit the shape. Time: O(actions).
simulation simulate(std::span<const program> programs,
                    const pipeline_shape& shape,
                    const simulation_options& options);

} // namespace actorpipe
