// SPDX-License-Identifier: Apache-2.0
/// What the scheduler actor does, without the actor: one request at a time,
/// such as a mini-batch from its first forward to its committed update.
#pragma once

#include "actors/mini_batch.hpp"
#include "actors/scheduler_options.hpp"
#include "actors/values_exchange.hpp"
#include "compute/data/batch.hpp"
#include "compute/train/model_values.hpp"
#include "messages/messages.hpp"
#include "messages/payload.hpp"
#include "partition/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace actorpipe {

/// Starts a mini-batch, feeds it, awaits every stage and every parameter actor,
/// refuses to commit when what was executed differs from the program, commands
/// the update, and answers once. Collects and installs values. Stops when it is
/// halted, and goes on from a version when it is resumed. Used by one thread at
/// a time.
class scheduler_core {
public:
  /// Where messages go.
  class outbox {
  public:
    virtual ~outbox() = default;
    virtual void send_stage(std::uint32_t stage, begin_step message) = 0;
    virtual void send_stage(std::uint32_t stage, const inquire& message) = 0;
    virtual void send_stage(std::uint32_t stage, const edge_data& header,
                            payload data) = 0;
    virtual void send_parameter(std::uint32_t cell, const inquire& message) = 0;
    virtual void send_parameter(std::uint32_t cell,
                                const apply_update& message) = 0;
    virtual void send_parameter(std::uint32_t cell,
                                const committed& message) = 0;
    virtual void send_parameter(std::uint32_t cell,
                                const get_shard& message) = 0;
    virtual void send_parameter(std::uint32_t cell, const shard& header,
                                payload data) = 0;
    /// To the keeper of that cell's replica.
    virtual void send_keeper(std::uint32_t cell, const inquire& message) = 0;
    /// To every stage, parameter actor and keeper.
    virtual void send_all(const abandon& message) = 0;
    // To whoever asked for what is at hand.
    virtual void answer(step_outcome outcome) = 0;
    virtual void answer(values_outcome outcome) = 0;
    virtual void answer(const resumed& message) = 0;
  };

  /// `out` outlives this.
  scheduler_core(scheduler_options options, outbox& out);

  /// Per cell, whether somebody keeps its replica; empty: nobody does.
  void meet(std::vector<bool> has_keeper);

  // Each starts a request; its outcome comes through `outbox::answer`. Returns
  // the refusal instead when nothing was started. While halted, a request waits
  // for `resume`.
  std::optional<step_failure> start(const train_request& how,
                                    const batch& data);
  std::optional<step_failure> start(const evaluate_request& how,
                                    const batch& data);
  std::optional<step_failure> start(const get_values& how);
  std::optional<step_failure> start(const set_values& how,
                                    const model_values& next);

  void accept(const credit& message);
  void accept(const begun& message);
  void accept(finished message);
  void accept(const prepared& message);
  void accept(const applied& message);
  void accept(const shard& header, const payload& data);
  void accept(const installed& message);
  void accept(const replicated& message);
  void accept(const failed& message);
  void accept(const abandoned& message);

  /// Whether answers are awaited, which `repeat` asks for.
  bool awaits_answers() const noexcept;

  /// Asks again for every answer that is missing.
  void repeat();

  halted accept(const halt& message);
  /// Empty: the answer comes through `outbox::answer`, unless there is another
  /// halt before.
  std::optional<resumed> accept(const resume& message);
  void accept(const give_up& message);

  /// An actor of the pipeline has gone: nothing can be started any more.
  void lose(const std::string& who, const std::string& why);

private:
  enum class phase : std::uint8_t {
    idle,
    running,
    applying,
    exchanging, ///< values
    abandoning,
    halted,
    resuming,
  };
  /// Who waits for an outcome.
  enum class asker : std::uint8_t { nobody, of_step, of_values };

  struct admission {
    bool begins = false;
    std::optional<step_failure> refusal;
  };

  admission admit(asker who);
  std::optional<step_failure> begin(begin_step order, const batch& data,
                                    std::int64_t micro_batches,
                                    const train_request& how);
  const std::vector<program>& programs_for(run_mode mode,
                                           std::uint32_t micro_batches);
  void pump_feed();
  void conclude_if_done();
  bool has_replica(std::uint32_t cell) const;
  bool all_replicated() const;
  void answer_report();

  // Of what went wrong, in scheduler_recovery.cpp.
  void drop_request();
  void answer_failure(step_failure why);
  void abandon_request(step_failure why);
  void return_to(std::int64_t version);
  void conclude_return();
  void lose_everything(std::string why);
  step_failure rollback() const;

  template <class F>
  void for_each_cell(F f) const {
    for (std::uint32_t cell = 0; cell < options_.how->cells(); ++cell)
      f(cell);
  }

  scheduler_options options_;
  outbox& out_;
  phase phase_ = phase::idle;
  asker asker_ = asker::nobody;
  work_id current_;
  std::int64_t version_ = 0;
  std::uint64_t settled_ = 0; ///< batch of the last request that was met
  std::optional<std::string> lost_;

  // Of the request at hand.
  std::optional<mini_batch> step_;
  std::optional<values_exchange> exchange_;
  apply_update update_;
  std::set<std::uint32_t> applied_;
  std::int64_t started_ns_ = 0;
  step_failure failure_;

  // Of replicas.
  std::vector<bool> has_keeper_;                 ///< per cell; empty: none has
  std::map<std::uint32_t, replicated> replicas_; ///< the newest per cell
  std::uint64_t installed_by_ = 0; ///< batch; earlier replicas do not count

  // Of the return to a version.
  std::set<std::string> everyone_; ///< who answers `abandon`
  std::set<std::string> abandoned_;
  std::int64_t target_ = 0;
  halted last_halt_;
  std::string why_halted_;
  std::uint64_t resumed_attempt_ = 0;
  bool must_tell_ = false; ///< the next request of the rollback

  std::map<std::int64_t, std::uint32_t> tries_; ///< per training step
  std::map<std::pair<run_mode, std::uint32_t>, std::vector<program>> cache_;
};

} // namespace actorpipe
