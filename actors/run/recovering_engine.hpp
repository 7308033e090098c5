// SPDX-License-Identifier: Apache-2.0
/// An engine that goes on after faults: it gives the steps that were lost
/// again.
#pragma once

#include "actors/restart_budget.hpp"
#include "actors/run/training_engine.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace actorpipe {

/// A mini-batch, and how it is trained on.
struct training_step {
  batch data;
  train_request how;
};

/// What a recovering engine is told. A version is a number of updates, and
/// step t makes version t.
struct recovery_options {
  /// Failures of layers, and stalls, that are tried again within 100 steps; one
  /// more is thrown. Nodes have a budget of their own, of the same size.
  std::int64_t restart_budget = 16;
  /// The step with this number: the same whenever it is asked for.
  std::function<training_step(std::int64_t step)> step_at;
  /// The newest saved values of a version above `after` and not above `up_to`;
  /// empty when there are none.
  std::function<std::optional<model_values>(std::int64_t after,
                                            std::int64_t up_to)>
    saved;
  /// Told of what is tried again, and how it goes on after a way back. Why it
  /// went back was told by who did that.
  std::function<void(const std::string&)> on_fault;
  std::function<void(const std::string&)> on_recovery;
};

/// Too many faults, or none of what is left leads back to where the run was.
class recovery_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Behaves as `inner` would without faults. A `pipeline_error` with the code
/// `rolled_back` is followed by a replay: the newest saved values above that
/// version, if there are any, then the steps up to the last that was done, and
/// then what was interrupted; faults on the way likewise. `layer_failed` and
/// `stalled` are tried again. All other errors are thrown on.
class recovering_engine final : public training_engine {
public:
  recovering_engine(std::unique_ptr<training_engine> inner,
                    recovery_options how);

  /// Steps come in order: `how.step` is one more than the version that is
  /// there.
  step_report train(const batch& data, const train_request& how) override;
  step_report evaluate(const batch& data) override;
  model_values values() override;
  void set_values(const model_values& next) override;
  std::vector<stage_memory> peak_memory() const override;

private:
  // Runs `work` until it ends without a fault that is survived.
  template <class F>
  auto survive(F work);
  void take(const pipeline_error& error);
  void count(const pipeline_error& error);
  void catch_up();

  std::unique_ptr<training_engine> inner_;
  recovery_options how_;
  std::int64_t done_ = 0;  ///< the version that whoever calls knows of
  std::int64_t there_ = 0; ///< the version that `inner_` has
  /// Steps are replayed from this version on, not from earlier ones.
  std::int64_t first_ = 0;
  bool rolled_back_ = false; ///< and nobody was told how it goes on

  restart_budget budget_;
};

} // namespace actorpipe
