// SPDX-License-Identifier: Apache-2.0
/// Asks a scheduler and waits for its answer.
#pragma once

#include "compute/data/batch.hpp"
#include "compute/train/model_values.hpp"
#include "messages/actor_types.hpp"
#include "messages/messages.hpp"

#include <caf/fwd.hpp>

#include <stdexcept>

namespace actorpipe {

/// A request that was not met. Nothing has changed, and unless the code is
/// `actor_lost` the pipeline can be used again; with `rolled_back` the
/// parameters are those of `version()`.
class pipeline_error : public std::runtime_error {
public:
  explicit pipeline_error(const step_failure& why)
    : std::runtime_error(why.text), code_(why.code), version_(why.version) {}

  error_code code() const noexcept { return code_; }
  /// Of the parameters, with the code `rolled_back`.
  std::int64_t version() const noexcept { return version_; }

private:
  error_code code_;
  std::int64_t version_;
};

/// The functions block until the scheduler has answered, and throw
/// `pipeline_error`. They may be called from any thread that is not an actor's;
/// one request is worked on at a time.
class scheduler_client {
public:
  /// `system` outlives this.
  scheduler_client(caf::actor_system& system, scheduler_actor scheduler)
    : system_(system), scheduler_(std::move(scheduler)) {}

  step_report train(const batch& data, const train_request& how);
  step_report evaluate(const batch& data, const evaluate_request& how);
  model_values values();
  void set_values(const model_values& next);

private:
  template <class Outcome, class... Request>
  Outcome ask(const Request&... what);

  caf::actor_system& system_;
  scheduler_actor scheduler_;
};

} // namespace actorpipe
