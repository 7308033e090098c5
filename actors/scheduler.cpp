// SPDX-License-Identifier: Apache-2.0
/// The scheduler actor.
#include "actors/scheduler.hpp"

#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace actorpipe {

namespace {

using scheduler_pointer = scheduler_actor::stateful_pointer<scheduler_state>;

template <class Actor>
std::vector<Actor> as(const std::vector<caf::strong_actor_ptr>& actors) {
  std::vector<Actor> result;
  for (const auto& x : actors)
    result.push_back(caf::actor_cast<Actor>(x));
  return result;
}

class mailbox_out final : public scheduler_core::outbox {
public:
  mailbox_out(scheduler_pointer self, const scheduler_options& options)
    : self_(self), run_(options.run), monitors_(!options.supervised) {}

  // False when these are not the newest.
  bool meet(const introduction& everyone) {
    if (everyone.run != run_ || everyone.attempt < attempt_)
      return false;
    attempt_ = everyone.attempt;
    stages_ = as<stage_actor>(everyone.stages);
    parameters_ = as<parameter_actor>(everyone.parameters);
    keepers_ = as<keeper_actor>(everyone.keepers);
    if (monitors_) {
      watch(everyone.stages, "stage ");
      watch(everyone.parameters, "parameter ");
    }
    return true;
  }

  std::string name_of(const caf::actor_addr& who) const {
    const auto found = names_.find(who);
    return found == names_.end() ? "an actor" : found->second;
  }

  void send_stage(std::uint32_t stage, begin_step message) override {
    self_->send(stages_.at(stage), std::move(message));
  }
  void send_stage(std::uint32_t stage, const inquire& message) override {
    self_->send(stages_.at(stage), message);
  }
  void send_stage(std::uint32_t stage, const edge_data& header,
                  payload data) override {
    self_->send(stages_.at(stage), header, std::move(data));
  }

  void send_parameter(std::uint32_t cell, const inquire& message) override {
    self_->send(parameters_.at(cell), message);
  }
  void send_parameter(std::uint32_t cell,
                      const apply_update& message) override {
    self_->send(parameters_.at(cell), message);
  }
  void send_parameter(std::uint32_t cell, const committed& message) override {
    self_->send(parameters_.at(cell), message);
  }
  void send_parameter(std::uint32_t cell, const get_shard& message) override {
    self_->send(parameters_.at(cell), message);
  }
  void send_parameter(std::uint32_t cell, const shard& header,
                      payload data) override {
    self_->send(parameters_.at(cell), header, std::move(data));
  }

  void send_keeper(std::uint32_t cell, const inquire& message) override {
    self_->send(keepers_.at(cell), message);
  }

  void send_all(const abandon& message) override {
    for (const auto& x : stages_)
      self_->send(x, message);
    for (const auto& x : parameters_)
      self_->send(x, message);
    for (std::size_t i = 0; i < keepers_.size(); ++i)
      if (keepers_[i]
          && std::find(keepers_.begin(),
                       keepers_.begin() + static_cast<std::ptrdiff_t>(i),
                       keepers_[i])
               == keepers_.begin() + static_cast<std::ptrdiff_t>(i))
        self_->send(keepers_[i], message);
  }

  void answer(step_outcome outcome) override {
    self_->state.waiting.deliver(std::move(outcome));
  }
  void answer(values_outcome outcome) override {
    self_->state.waiting_for_values.deliver(std::move(outcome));
  }
  void answer(const resumed& message) override {
    self_->state.waiting_to_resume.deliver(message);
  }

private:
  void watch(const std::vector<caf::strong_actor_ptr>& actors,
             const std::string& kind) {
    for (std::size_t i = 0; i < actors.size(); ++i) {
      const auto address = caf::actor_cast<caf::actor_addr>(actors[i]);
      if (names_.emplace(address, kind + std::to_string(i)).second)
        self_->monitor(address);
    }
  }

  scheduler_pointer self_;
  std::uint64_t run_;
  bool monitors_;
  std::uint64_t attempt_ = 0;
  std::vector<stage_actor> stages_;
  std::vector<parameter_actor> parameters_;
  std::vector<keeper_actor> keepers_;
  std::map<caf::actor_addr, std::string> names_;
};

// While answers are awaited, asks for them after an interval.
void watch_answers(scheduler_pointer self, std::chrono::nanoseconds interval) {
  auto& state = self->state;
  if (state.repeating || interval.count() <= 0 || !state.core->awaits_answers())
    return;
  state.repeating = true;
  self->delayed_send(self, interval, repeat_unanswered{});
}

// Starts a request and promises its outcome, or answers with the refusal.
template <class Outcome, class... Request>
caf::result<Outcome> begin(scheduler_pointer self,
                           caf::typed_response_promise<Outcome>& waiting,
                           const Request&... what) {
  auto promise = self->make_response_promise<Outcome>();
  auto previous = std::exchange(waiting, promise);
  if (auto refusal = self->state.core->start(what...)) {
    waiting = std::move(previous);
    promise.deliver(Outcome{false, {}, std::move(*refusal)});
  }
  return promise;
}

// Promises that everyone will have returned to the version, or says so.
caf::result<resumed> go_on(scheduler_pointer self, const resume& message) {
  auto promise = self->make_response_promise<resumed>();
  if (const auto answer = self->state.core->accept(message))
    promise.deliver(*answer);
  else
    self->state.waiting_to_resume = promise;
  return promise;
}

} // namespace

scheduler_state::~scheduler_state() {
  const step_failure why{error_code::actor_lost, "the pipeline has ended", 0};
  if (waiting.pending())
    waiting.deliver(step_outcome{false, {}, why});
  if (waiting_for_values.pending())
    waiting_for_values.deliver(values_outcome{false, {}, why});
}

scheduler_actor::behavior_type make_scheduler(scheduler_pointer self,
                                              scheduler_options options) {
  const auto interval = options.repeat_interval;
  auto out = std::make_unique<mailbox_out>(self, options);
  auto& mailbox = *out;
  self->state.out = std::move(out);
  self->state.core =
    std::make_unique<scheduler_core>(std::move(options), mailbox);
  self->set_down_handler([self, &mailbox](const caf::down_msg& down) {
    self->state.core->lose(mailbox.name_of(down.source),
                           to_string(down.reason));
  });
  // What is said to the core, and what may follow.
  const auto told = [self](auto&&... what) {
    self->state.core->accept(std::forward<decltype(what)>(what)...);
  };
  return {
    [self, &mailbox](const introduction& everyone) {
      if (!mailbox.meet(everyone))
        return;
      std::vector<bool> has_keeper;
      for (const auto& x : everyone.keepers)
        has_keeper.push_back(x != nullptr);
      self->state.core->meet(std::move(has_keeper));
    },
    [told](const credit& message) { told(message); },
    [told](const begun& message) { told(message); },
    [told](finished& message) { told(std::move(message)); },
    [told](const prepared& message) { told(message); },
    [told](const applied& message) { told(message); },
    [self, told, interval](const failed& message) {
      told(message);
      watch_answers(self, interval);
    },
    [told](const abandoned& message) { told(message); },
    [told](const shard& header, const payload& data) { told(header, data); },
    [told](const installed& message) { told(message); },
    [told](const replicated& message) { told(message); },
    [self, interval](const train_request& how, const local_batch& what) {
      auto result = begin(self, self->state.waiting, how, what.data);
      watch_answers(self, interval);
      return result;
    },
    [self, interval](const evaluate_request& how, const local_batch& what) {
      auto result = begin(self, self->state.waiting, how, what.data);
      watch_answers(self, interval);
      return result;
    },
    [self, interval](const get_values& how) {
      auto result = begin(self, self->state.waiting_for_values, how);
      watch_answers(self, interval);
      return result;
    },
    [self, interval](const set_values& how, const local_values& next) {
      auto result = begin(self, self->state.waiting_for_values, how, next.all);
      watch_answers(self, interval);
      return result;
    },
    [self](const halt& message) { return self->state.core->accept(message); },
    [self, interval](const resume& message) {
      auto result = go_on(self, message);
      watch_answers(self, interval);
      return result;
    },
    [told](const give_up& message) { told(message); },
    [self, interval](const repeat_unanswered&) {
      self->state.repeating = false;
      self->state.core->repeat();
      watch_answers(self, interval);
    },
  };
}

} // namespace actorpipe
