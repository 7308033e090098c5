// SPDX-License-Identifier: Apache-2.0
/// What the scheduler actor does, without the actor: one mini-batch at a time,
/// from its first forward to its committed update.
#pragma once

#include "actors/feed.hpp"
#include "actors/parameter_layout.hpp"
#include "compute/data/batch.hpp"
#include "compute/model/model.hpp"
#include "compute/optim/optimizer.hpp"
#include "compute/train/model_values.hpp"
#include "messages/messages.hpp"
#include "messages/payload.hpp"
#include "partition/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace actorpipe {

/// What a scheduler is made from.
struct scheduler_options {
  std::uint64_t run = 0;
  std::shared_ptr<const model> source;
  std::shared_ptr<const optimizer> rule;
  std::shared_ptr<const plan> how;
  std::shared_ptr<const parameter_layout> layout;
  /// A monotonic clock in nanoseconds, for what is reported.
  std::function<std::int64_t()> now_ns;
};

/// Starts a mini-batch, feeds it, awaits every stage and every parameter actor,
/// refuses to commit when what was executed differs from the program, commands
/// the update, and answers once. Used by one thread at a time.
class scheduler_core {
public:
  /// Where messages go.
  class outbox {
  public:
    virtual ~outbox() = default;
    virtual void send(std::uint32_t stage, begin_step message) = 0;
    /// To the stage that runs the cell `cell`.
    virtual void send(std::uint32_t cell, const edge_data& header,
                      payload data) = 0;
    virtual void send_parameters(const apply_update& message) = 0;
    virtual void send_parameters(const committed& message) = 0;
    virtual void send(std::uint32_t cell, const get_shard& message) = 0;
    virtual void send(std::uint32_t cell, const shard& header,
                      payload data) = 0;
    /// To every stage and every parameter actor.
    virtual void send_all(const abandon& message) = 0;
    /// To whoever asked for the mini-batch at hand.
    virtual void answer(step_outcome outcome) = 0;
    /// To whoever asked for the values at hand.
    virtual void answer(values_outcome outcome) = 0;
  };

  /// `out` outlives this.
  scheduler_core(scheduler_options options, outbox& out);

  /// Starts a mini-batch; its outcome comes through `outbox::answer`. Returns
  /// the refusal instead when nothing was started.
  std::optional<step_failure> start(const train_request& how,
                                    const batch& data);
  std::optional<step_failure> start(const evaluate_request& how,
                                    const batch& data);

  /// Collects or replaces all values; likewise.
  std::optional<step_failure> start(const get_values& how);
  std::optional<step_failure> start(const set_values& how,
                                    const model_values& next);

  void accept(const credit& message);
  void accept(finished message);
  void accept(const prepared& message);
  void accept(const applied& message);
  void accept(const failed& message);
  void accept(const abandoned& message);
  void accept(const shard& header, const payload& data);
  void accept(const installed& message);

  /// An actor of the pipeline has gone: nothing can be started any more.
  void lose(const std::string& who, const std::string& why);

private:
  enum class phase : std::uint8_t {
    idle,
    running,
    applying,
    collecting,
    installing,
    abandoning,
  };

  std::optional<step_failure> begin(run_mode mode, std::int64_t step,
                                    const batch& data,
                                    std::int64_t micro_batches);
  const std::vector<program>& programs_for(run_mode mode,
                                           std::uint32_t micro_batches);
  std::optional<step_failure> find_refusal() const;
  void answer_failure(step_failure why);
  std::string named_step() const;
  void pump_feed();
  void conclude_if_done();
  void conclude_training();
  std::optional<std::string> sum_losses();
  std::optional<std::string> take_norm();
  void abandon_step(error_code code, std::string text);
  void answer_ok();

  scheduler_options options_;
  outbox& out_;
  phase phase_ = phase::idle;
  work_id current_;
  std::int64_t version_ = 0;
  std::optional<std::string> lost_;

  // Of the mini-batch at hand.
  run_mode mode_ = run_mode::train;
  train_request request_;
  std::int64_t started_ns_ = 0;
  double normalizer_ = 1;
  std::size_t micro_batches_ = 0;
  const std::vector<program>* programs_ = nullptr;
  std::optional<feed> feed_;
  std::map<std::uint32_t, finished> finished_;
  std::map<std::uint32_t, prepared> prepared_;
  std::set<std::uint32_t> applied_;
  std::set<std::string> abandoned_;
  step_report report_;
  step_failure failure_;

  // Of the values at hand.
  bool is_about_values_ = false;
  model_values values_;
  std::set<std::uint32_t> cells_done_;

  std::map<std::pair<run_mode, std::uint32_t>, std::vector<program>> cache_;
};

} // namespace actorpipe
