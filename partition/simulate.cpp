// SPDX-License-Identifier: Apache-2.0
/// When every action of a step would run, and how long devices would idle.
#include "partition/simulate.hpp"

#include "partition/check.hpp"
#include "partition/require_count.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace actorpipe {

namespace {

void require_fit(std::span<const program> programs, const pipeline_shape& shape,
                 const simulation_options& options) {
  require_count("a simulation", "durations, one for each cell",
                options.durations.size(), shape.device_of_cell.size());
  if (!options.latency_s.empty())
    require_count("a simulation", "latencies, one for each edge",
                  options.latency_s.size(), shape.edges.size());
  const auto report = check(programs, shape);
  if (!report.ok())
    throw std::invalid_argument("programs that cannot be run\n"
                                + to_string(report.faults));
  if (options.update_barrier && !report.updates_last)
    throw std::invalid_argument(
      "updates that wait for the whole pipeline have to come last");
}

// Moves the updates behind the last other action of all devices.
void hold_updates(std::vector<std::vector<timed_action>>& timeline) {
  const auto updates = [](const timed_action& x) {
    return x.what.kind == action_kind::update;
  };
  double barrier_s = 0;
  for (const auto& row : timeline)
    for (const auto& x : row)
      if (!updates(x))
        barrier_s = std::max(barrier_s, x.end_s);
  for (auto& row : timeline) {
    auto free_s = barrier_s;
    for (auto& x : row)
      if (updates(x)) {
        x.end_s = free_s + (x.end_s - x.start_s);
        x.start_s = free_s;
        free_s = x.end_s;
      }
  }
}

} // namespace

simulation simulate(std::span<const program> programs,
                    const pipeline_shape& shape,
                    const simulation_options& options) {
  require_fit(programs, shape, options);
  const auto times =
    execute(programs, shape, options.durations, options.latency_s).times;
  simulation result;
  result.timeline.resize(programs.size());
  for (std::size_t device = 0; device < programs.size(); ++device) {
    auto& row = result.timeline[device];
    row.reserve(programs[device].size());
    for (std::size_t i = 0; i < programs[device].size(); ++i)
      row.push_back({programs[device][i], times[device][i].start_s,
                     times[device][i].end_s});
  }
  if (options.update_barrier)
    hold_updates(result.timeline);
  for (std::size_t device = 0; device < programs.size(); ++device) {
    double busy_s = 0;
    for (const auto& x : programs[device])
      busy_s += duration_s(options.durations[x.cell], x.kind);
    result.busy_s.push_back(busy_s);
    if (!result.timeline[device].empty())
      result.makespan_s =
        std::max(result.makespan_s, result.timeline[device].back().end_s);
  }
  const auto busy_s =
    std::accumulate(result.busy_s.begin(), result.busy_s.end(), 0.0);
  if (result.makespan_s > 0)
    result.bubble_fraction =
      1 - busy_s / (static_cast<double>(programs.size()) * result.makespan_s);
  return result;
}

} // namespace actorpipe
