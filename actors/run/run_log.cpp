// SPDX-License-Identifier: Apache-2.0
/// One thing at a time, to the observer and into the metrics file.
#include "actors/run/run_log.hpp"

#include "compute/io/io_error.hpp"

namespace actorpipe {

void run_log::open(const std::filesystem::path& metrics,
                   std::int64_t steps_done) {
  const std::lock_guard held(mutex_);
  metrics_.emplace(metrics, steps_done);
  steps_done_ = steps_done;
}

void run_log::plan(const run_plan& what) {
  const std::lock_guard held(mutex_);
  observer_.on_plan(what);
}

void run_log::warning(const std::string& text) {
  const std::lock_guard held(mutex_);
  observer_.on_warning(text);
}

void run_log::step(const step_metrics& figures, const step_progress& now) {
  const std::lock_guard held(mutex_);
  steps_done_ = figures.step;
  metrics_->write(figures);
  observer_.on_step(now);
}

void run_log::evaluation(std::int64_t step, double loss) {
  const std::lock_guard held(mutex_);
  metrics_->write_evaluation(step, loss);
  observer_.on_evaluation(step, loss);
}

void run_log::checkpoint(const std::string& path) {
  const std::lock_guard held(mutex_);
  observer_.on_checkpoint(path);
}

void run_log::event(const char* name, tell observer, const std::string& text) {
  const std::lock_guard held(mutex_);
  try {
    if (metrics_)
      metrics_->write_event(steps_done_, name, text);
  } catch (const io_error&) {
    // The next step's line fails as this one did, where it can be told.
  }
  (observer_.*observer)(text);
}

void run_log::fault(const std::string& text) {
  event("fault", &run_observer::on_fault, text);
}

void run_log::recovery(const std::string& text) {
  event("recovery", &run_observer::on_recovery, text);
}

void run_log::stall(const std::string& text) {
  event("stall", &run_observer::on_stall, text);
}

void run_log::note(const std::string& text) {
  event("note", &run_observer::on_note, text);
}

void run_log::event(const cluster_event& what) {
  switch (what.what) {
  case cluster_event::kind::fault:
    return fault(what.text);
  case cluster_event::kind::recovered:
    return recovery(what.text);
  case cluster_event::kind::stall:
    return stall(what.text);
  case cluster_event::kind::waiting:
    return event("waiting", &run_observer::on_fault, what.text);
  case cluster_event::kind::ended: // the run's error says why
    return;
  case cluster_event::kind::formed:
  case cluster_event::kind::note:
    return note(what.text);
  }
}

} // namespace actorpipe
