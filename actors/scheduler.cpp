// SPDX-License-Identifier: Apache-2.0
/// The scheduler actor.
#include "actors/scheduler.hpp"

#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/system_messages.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace actorpipe {

namespace {

using scheduler_pointer = scheduler_actor::stateful_pointer<scheduler_state>;

class mailbox_out final : public scheduler_core::outbox {
public:
  mailbox_out(scheduler_pointer self, std::shared_ptr<const plan> how)
    : self_(self), how_(std::move(how)) {}

  void meet(const introduction& everyone) {
    for (const auto& x : everyone.stages) {
      watch(x, "stage " + std::to_string(stages_.size()));
      stages_.push_back(caf::actor_cast<stage_actor>(x));
    }
    for (const auto& x : everyone.parameters) {
      watch(x, "parameter " + std::to_string(parameters_.size()));
      parameters_.push_back(caf::actor_cast<parameter_actor>(x));
    }
  }

  std::string name_of(const caf::actor_addr& who) const {
    const auto found = names_.find(who);
    return found == names_.end() ? "an actor" : found->second;
  }

  void send(std::uint32_t stage, begin_step message) override {
    self_->send(stages_[stage], std::move(message));
  }

  void send(std::uint32_t cell, const edge_data& header,
            payload data) override {
    self_->send(stages_[how_->device_of_cell[cell]], header, std::move(data));
  }

  void send_parameters(const apply_update& message) override {
    for (const auto& x : parameters_)
      self_->send(x, message);
  }

  void send_parameters(const committed& message) override {
    for (const auto& x : parameters_)
      self_->send(x, message);
  }

  void send(std::uint32_t cell, const get_shard& message) override {
    self_->send(parameters_[cell], message);
  }

  void send(std::uint32_t cell, const shard& header, payload data) override {
    self_->send(parameters_[cell], header, std::move(data));
  }

  void send_all(const abandon& message) override {
    for (const auto& x : stages_)
      self_->send(x, message);
    for (const auto& x : parameters_)
      self_->send(x, message);
  }

  void answer(step_outcome outcome) override {
    self_->state.waiting.deliver(std::move(outcome));
  }

  void answer(values_outcome outcome) override {
    self_->state.waiting_for_values.deliver(std::move(outcome));
  }

private:
  void watch(const caf::strong_actor_ptr& who, std::string name) {
    const auto address = caf::actor_cast<caf::actor_addr>(who);
    names_.emplace(address, std::move(name));
    self_->monitor(address);
  }

  scheduler_pointer self_;
  std::shared_ptr<const plan> how_;
  std::vector<stage_actor> stages_;
  std::vector<parameter_actor> parameters_;
  std::map<caf::actor_addr, std::string> names_;
};

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
  auto out = std::make_unique<mailbox_out>(self, options.how);
  auto& mailbox = *out;
  self->state.out = std::move(out);
  self->state.core =
    std::make_unique<scheduler_core>(std::move(options), mailbox);
  self->set_down_handler([self, &mailbox](const caf::down_msg& down) {
    self->state.core->lose(mailbox.name_of(down.source),
                           to_string(down.reason));
  });
  return {
    [&mailbox](const introduction& everyone) { mailbox.meet(everyone); },
    [self](const credit& message) { self->state.core->accept(message); },
    [](const begun&) {},
    [self](finished& message) { self->state.core->accept(std::move(message)); },
    [self](const prepared& message) { self->state.core->accept(message); },
    [self](const applied& message) { self->state.core->accept(message); },
    [self](const failed& message) { self->state.core->accept(message); },
    [self](const abandoned& message) { self->state.core->accept(message); },
    [self](const shard& header, const payload& data) {
      self->state.core->accept(header, data);
    },
    [self](const installed& message) { self->state.core->accept(message); },
    [](const replicated&) {},
    [self](const train_request& how, const local_batch& what) {
      return begin(self, self->state.waiting, how, what.data);
    },
    [self](const evaluate_request& how, const local_batch& what) {
      return begin(self, self->state.waiting, how, what.data);
    },
    [self](const get_values& how) {
      return begin(self, self->state.waiting_for_values, how);
    },
    [self](const set_values& how, const local_values& next) {
      return begin(self, self->state.waiting_for_values, how, next.all);
    },
    [](const halt& message) {
      return halted{message.run, message.count, 0, 0};
    },
    [](const resume& message) {
      return resumed{message.run, message.attempt};
    },
    [](const give_up&) {},
    [](const repeat_unanswered&) {},
  };
}

} // namespace actorpipe
