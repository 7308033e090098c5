// SPDX-License-Identifier: Apache-2.0
/// Whoever watches a run, and its metrics file: told one thing at a time, by
/// any thread.
#pragma once

#include "actors/cluster/cluster_options.hpp"
#include "actors/run/metrics.hpp"
#include "actors/run/training_run.hpp"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

namespace actorpipe {

/// Passes everything on to an observer. Steps, evaluations and events go into
/// the metrics file too, once it is open. Writing throws `io_error`, but for
/// events: they come on threads that have nobody to tell.
class run_log {
public:
  explicit run_log(run_observer& observer) : observer_(observer) {}

  /// From now on into this file, in which `steps_done` steps stay.
  void open(const std::filesystem::path& metrics, std::int64_t steps_done);

  void plan(const run_plan& what);
  void warning(const std::string& text);
  void step(const step_metrics& figures, const step_progress& now);
  void evaluation(std::int64_t step, double loss);
  void checkpoint(const std::string& path);

  void fault(const std::string& text);
  void recovery(const std::string& text);
  void stall(const std::string& text);
  void note(const std::string& text);
  void event(const cluster_event& what);

private:
  using tell = void (run_observer::*)(const std::string&);
  void event(const char* name, tell observer, const std::string& text);

  std::mutex mutex_;
  run_observer& observer_;
  std::optional<metrics_writer> metrics_;
  std::int64_t steps_done_ = 0;
};

} // namespace actorpipe
