// SPDX-License-Identifier: Apache-2.0
/// The run loop: from a run file to a trained model in a run directory.
#pragma once

#include "actors/cluster/cluster_options.hpp"
#include "actors/run/config.hpp"
#include "actors/run/run_data.hpp"
#include "actors/run/run_plan.hpp"
#include "compute/layers/layer_registry.hpp"

#include <caf/fwd.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace actorpipe {

/// One finished step, for whoever watches.
struct step_progress {
  std::int64_t step = 0; ///< of this run's steps, the first is 1
  std::int64_t steps = 0;
  double loss = 0;
  double learning_rate = 0;
  double gradient_norm = 0;
  double tokens_per_s = 0; ///< counted targets, over this step
  double bubble = 0;       ///< measured
  double seconds_left = 0; ///< from the mean of the steps so far
};

/// Sees a run go on. Never two calls at once; those about faults may come from
/// any thread, the others come from the run's.
class run_observer {
public:
  virtual ~run_observer() = default;
  virtual void on_plan(const run_plan&) {}
  virtual void on_step(const step_progress&) {}
  virtual void on_evaluation(std::int64_t /*step*/, double /*loss*/) {}
  virtual void on_checkpoint(const std::string& /*path*/) {}
  virtual void on_warning(const std::string& /*text*/) {}

  /// Something went wrong, and the run goes on if it can.
  virtual void on_fault(const std::string& /*text*/) {}
  /// It goes on: who runs what now, which steps were done again.
  virtual void on_recovery(const std::string& /*text*/) {}
  /// Nothing has advanced for a while: who waits for what.
  virtual void on_stall(const std::string& /*text*/) {}
  /// Anything else about the run's nodes.
  virtual void on_note(const std::string& /*text*/) {}
};

struct training_options {
  run_config config;
  layer_registry registry = layer_registry::with_builtin();
  /// Left empty: the text that the config names.
  run_data data;
  /// Where the actors are spawned: a host application's own system, configured
  /// with `configure`. Null: one of the run's own.
  caf::actor_system* system = nullptr;
  /// A run directory (its newest checkpoint) or one checkpoint to go on from.
  std::string resume;
  /// `run.out` is where the run must be: another run that stands there is an
  /// error. Else a new run takes the next free name, and one that goes on from
  /// its newest checkpoint stays where it is.
  bool out_is_fixed = false;
  /// Train with the plain loop.
  bool sequential = false;
  /// Train on nodes; `cluster_options_of` makes it from the config. Events go
  /// to the observer as well as to `on_event`. Empty: in this process.
  std::optional<cluster_options> cluster;
  /// Asked between steps: true ends the run as if that was its last step.
  std::function<bool()> stop = [] { return false; };
};

struct training_result {
  std::int64_t steps = 0; ///< done, earlier runs included
  bool stopped = false;   ///< by `training_options::stop`
  /// Mean over targets, nats; empty when nothing is held out.
  std::optional<double> held_out_loss;
  /// Of the interpolated count model with two bytes of context; for text.
  std::optional<double> count_model_loss;
  std::string directory;
  std::string checkpoint; ///< the last one
  std::string parameters_sha256;
};

/// What ended a run early, with what was saved before.
class run_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Trains, saves checkpoints, metrics and a trace. Throws what the
/// parts throw: `config_error`, `model_error`, `data_error`, `plan_error`,
/// `checkpoint_error` for the user's mistakes before the first step;
/// `cluster_error` for nodes that do not suffice; `run_error` for what ends it
/// later. Whatever was saved before stays. A step that is done again after a
/// fault is reported, and written to the metrics, once.
training_result run_training(const training_options& options,
                             run_observer& observer);

/// The plan alone; `measure`: the layers' times are measured in any case.
run_plan plan_training(const training_options& options, bool measure);

} // namespace actorpipe
