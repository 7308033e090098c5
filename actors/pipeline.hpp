// SPDX-License-Identifier: Apache-2.0
/// A pipeline of stage actors inside somebody's actor system.
#pragma once

#include "actors/scheduler_client.hpp"
#include "compute/data/batch.hpp"
#include "compute/device/device.hpp"
#include "compute/model/model.hpp"
#include "compute/optim/optimizer.hpp"
#include "compute/train/sequential.hpp"
#include "messages/actor_types.hpp"
#include "messages/configure.hpp"
#include "messages/messages.hpp"
#include "messages/standing.hpp"
#include "partition/plan.hpp"

#include <caf/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace actorpipe {

struct pipeline_options {
  std::shared_ptr<const model> source;
  optimizer_options optimizer;
  plan how;
  std::uint64_t seed = 0;

  /// One per device of the plan; left empty: CPU devices with
  /// `threads_per_stage` threads each.
  std::vector<std::shared_ptr<device>> devices;
  std::size_t threads_per_stage = 1;

  /// Each actor has a thread of its own. False: the system's scheduler runs
  /// them, which a test with a testing scheduler needs.
  bool detached = true;

  /// A monotonic clock in nanoseconds, for what is reported; left empty: the
  /// system's. All actors call it, each from its own thread.
  std::function<std::int64_t()> now_ns;

  /// Names this start of the pipeline in messages; 0: drawn at random.
  std::uint64_t run = 0;
};

/// The most bytes that a stage held at once since the pipeline was made, by
/// what they were for.
struct stage_memory {
  std::int64_t activation_bytes = 0;
  std::int64_t gradient_bytes = 0;
  /// Weights and moments of its cells, the next version that is made beside
  /// them, and the gradients that were handed over for it.
  std::int64_t parameter_bytes = 0;
};

/// Spawns the actors of one pipeline and ends them with itself. Several may
/// live in one actor system. The functions block and may be called from any
/// thread that is not an actor's; one mini-batch is worked on at a time.
///
///     caf::actor_system_config config;
///     actorpipe::configure(config);
///     caf::actor_system system{config};
///     actorpipe::pipeline line{system, options};
///     auto report = line.train(batch, {step, learning_rate, max_norm});
///
/// To drive it by messages instead, send `train_request` and `local_batch` to
/// `scheduler()` and await a `step_outcome`.
class pipeline {
public:
  /// Throws `std::invalid_argument` when `system` was not configured or the
  /// options do not fit each other, `plan_error` when the plan is faulty.
  pipeline(caf::actor_system& system, pipeline_options options);

  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;

  /// Ends the actors and waits until they are gone.
  ~pipeline();

  /// One step. Throws `pipeline_error`.
  step_report train(const batch& data, const train_request& how);

  /// The loss, forward only; of any batch size. Throws `pipeline_error`.
  step_report evaluate(const batch& data, const evaluate_request& how = {});

  /// The present parameters, moments and states, in host memory. Call it
  /// between mini-batches. Throws `pipeline_error`.
  model_values values();

  /// Replaces them. Throws `std::invalid_argument` when they are not of this
  /// model and optimiser, `pipeline_error` when a mini-batch is being worked
  /// on.
  void set_values(const model_values& next);

  /// Per stage.
  std::vector<stage_memory> peak_memory() const;

  /// Per stage, where it stands now; also while a call waits.
  std::vector<standing> standings() const;

  const scheduler_actor& scheduler() const noexcept;
  const plan& how() const noexcept;

private:
  struct implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace actorpipe
