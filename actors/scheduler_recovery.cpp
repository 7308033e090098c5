// SPDX-License-Identifier: Apache-2.0
/// What a scheduler does about what does not go well: answers that are missing,
/// requests that fail, actors that go.
#include "actors/scheduler_core.hpp"

#include <utility>

namespace actorpipe {

// -- answers that are missing -------------------------------------------------

bool scheduler_core::awaits_answers() const noexcept {
  return phase_ != phase::idle && phase_ != phase::halted && !lost_;
}

void scheduler_core::repeat() {
  if (!awaits_answers())
    return;
  const inquire again{current_};
  switch (phase_) {
  case phase::running:
    for (std::uint32_t stage = 0; stage < options_.how->devices(); ++stage)
      if (step_->has_finished(stage))
        continue;
      else if (step_->has_begun(stage))
        out_.send_stage(stage, again);
      else
        out_.send_stage(stage, step_->order_for(stage));
    if (!step_->all_finished() || step_->order().mode == run_mode::evaluate)
      return;
    for_each_cell([&](auto cell) {
      if (!step_->is_prepared(cell))
        out_.send_parameter(cell, again);
      if (!has_replica(cell))
        out_.send_keeper(cell, again);
    });
    return;
  case phase::applying:
    for_each_cell([&](auto cell) {
      if (!applied_.contains(cell))
        out_.send_parameter(cell, update_);
    });
    return;
  case phase::exchanging:
    for_each_cell([&](auto cell) {
      if (!exchange_->lacks(cell))
        return;
      if (exchange_->installs())
        out_.send_parameter(cell, again);
      else
        out_.send_parameter(cell, get_shard{current_});
    });
    return;
  default:
    out_.send_all({current_.run, current_.attempt, target_, settled_});
  }
}

// -- requests that fail -------------------------------------------------------

void scheduler_core::drop_request() {
  step_.reset();
  exchange_.reset();
}

void scheduler_core::answer_failure(step_failure why) {
  switch (std::exchange(asker_, asker::nobody)) {
  case asker::nobody:
    return;
  case asker::of_step:
    return out_.answer(step_outcome{false, {}, std::move(why)});
  case asker::of_values:
    return out_.answer(values_outcome{false, {}, std::move(why)});
  }
}

void scheduler_core::accept(const failed& message) {
  if (message.id.run != current_.run || message.id.attempt != current_.attempt)
    return;
  if (phase_ == phase::abandoning || phase_ == phase::resuming)
    return lose_everything("there is no return to version "
                           + std::to_string(target_) + ": " + message.text);
  if (message.id == current_ && phase_ != phase::idle
      && phase_ != phase::halted)
    abandon_request({message.code, message.text, 0});
}

void scheduler_core::abandon_request(step_failure why) {
  drop_request();
  failure_ = std::move(why);
  phase_ = phase::abandoning;
  ++current_.attempt;
  return_to(version_);
}

void scheduler_core::return_to(std::int64_t version) {
  abandoned_.clear();
  replicas_.clear();
  installed_by_ = 0;
  target_ = version;
  out_.send_all({current_.run, current_.attempt, version, settled_});
}

void scheduler_core::accept(const abandoned& message) {
  if ((phase_ != phase::abandoning && phase_ != phase::resuming)
      || message.run != current_.run || message.attempt != current_.attempt
      || !everyone_.contains(message.who))
    return;
  abandoned_.insert(message.who);
  if (abandoned_.size() == everyone_.size())
    conclude_return();
}

void scheduler_core::conclude_return() {
  if (std::exchange(phase_, phase::idle) == phase::abandoning)
    return answer_failure(failure_);
  must_tell_ = must_tell_ || target_ != version_;
  version_ = target_;
  resumed_attempt_ = current_.attempt;
  out_.answer(resumed{current_.run, current_.attempt});
  if (asker_ == asker::nobody)
    return;
  must_tell_ = false;
  answer_failure(rollback());
}

step_failure scheduler_core::rollback() const {
  return {error_code::rolled_back,
          "a fault was survived (" + why_halted_
            + "); the parameters are those of version "
            + std::to_string(version_),
          version_};
}

// -- actors that go -----------------------------------------------------------

halted scheduler_core::accept(const halt& message) {
  if (message.run == current_.run && message.count > last_halt_.count) {
    drop_request();
    phase_ = phase::halted;
    ++current_.attempt;
    last_halt_ = {current_.run, message.count, current_.attempt, version_};
    why_halted_ = message.why;
  }
  return last_halt_;
}

std::optional<resumed> scheduler_core::accept(const resume& message) {
  if (message.run != current_.run)
    return resumed{};
  if (message.attempt <= resumed_attempt_)
    return resumed{message.run, message.attempt};
  if (phase_ == phase::halted && message.attempt == current_.attempt
      && !lost_) {
    phase_ = phase::resuming;
    return_to(message.version);
  }
  return std::nullopt;
}

void scheduler_core::accept(const give_up& message) {
  if (message.run == current_.run)
    lose_everything(message.why);
}

void scheduler_core::lose(const std::string& who, const std::string& why) {
  lose_everything(who + " has gone: " + why);
}

void scheduler_core::lose_everything(std::string why) {
  if (lost_)
    return;
  lost_ = std::move(why);
  phase_ = phase::idle;
  drop_request();
  answer_failure({error_code::actor_lost, *lost_, 0});
}

} // namespace actorpipe
