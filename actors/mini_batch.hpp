// SPDX-License-Identifier: Apache-2.0
/// One mini-batch as the scheduler sees it: what is fed, what stages and
/// parameter actors have said, and what that amounts to.
#pragma once

#include "actors/feed.hpp"
#include "actors/scheduler_options.hpp"
#include "compute/data/batch.hpp"
#include "messages/messages.hpp"
#include "messages/payload.hpp"
#include "partition/plan.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace actorpipe {

/// Decides nothing about what comes next. Used by the scheduler alone.
class mini_batch {
public:
  /// `order` is what every stage is told, without its actions. `programs` has
  /// one program a stage and outlives this, as `options` do. `parts` are the
  /// micro-batches with so many `counted` targets, `max_norm` as in
  /// `train_request`.
  mini_batch(const scheduler_options& options, begin_step order,
             const std::vector<program>& programs, std::vector<batch> parts,
             std::int64_t counted, double max_norm);

  const begin_step& order() const noexcept { return order_; }
  begin_step order_for(std::uint32_t stage) const;

  /// False when that tensor was not handed out, or its credit is back already.
  bool note_credit(const credit& returned) {
    return feed_.note_credit(returned);
  }
  std::vector<feed::item> take_ready() { return feed_.take_ready(); }

  void note(const begun& message) { begun_.insert(message.stage); }
  // The fault: what was executed, or what came, is not what was to come. What
  // is repeated changes nothing.
  std::optional<step_failure> accept(finished message);
  std::optional<step_failure> accept(const prepared& message);

  bool has_begun(std::uint32_t stage) const { return begun_.contains(stage); }
  bool has_finished(std::uint32_t stage) const {
    return finished_.contains(stage);
  }
  bool is_prepared(std::uint32_t cell) const {
    return prepared_.contains(cell);
  }
  bool all_finished() const { return finished_.size() == programs_.size(); }
  /// With all prepared too, when it trains.
  bool is_complete() const;

  /// Computes the report. The fault: a loss or a gradient that is not finite.
  /// Requires `is_complete()`.
  std::optional<step_failure> conclude();

  /// Of `conclude`; with the timeline, which is handed over.
  step_report take_report();
  double clip_factor() const noexcept { return report_.clip_factor; }

private:
  std::string named_step() const;
  std::optional<std::string> sum_losses();
  std::optional<std::string> take_norm();

  const scheduler_options& options_;
  begin_step order_;
  const std::vector<program>& programs_;
  double max_norm_;
  feed feed_;
  std::set<std::uint32_t> begun_;
  std::map<std::uint32_t, finished> finished_;
  std::map<std::uint32_t, prepared> prepared_;
  step_report report_;
};

} // namespace actorpipe
