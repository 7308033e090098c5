// SPDX-License-Identifier: Apache-2.0
/// The parameter actor.
#include "actors/parameter.hpp"

#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/error.hpp>
#include <caf/sec.hpp>

#include <exception>
#include <utility>
#include <vector>

namespace actorpipe {

namespace {

using parameter_pointer = parameter_actor::stateful_pointer<parameter_state>;

class mailbox_out final : public parameter_core::outbox {
public:
  mailbox_out(parameter_pointer self, std::shared_ptr<const plan> how)
    : self_(self), how_(std::move(how)) {}

  void meet(const introduction& everyone) {
    scheduler_ = caf::actor_cast<scheduler_actor>(everyone.scheduler);
    feed_ = caf::actor_cast<scheduler_actor>(everyone.feed);
    stages_.clear();
    for (const auto& x : everyone.stages)
      stages_.push_back(caf::actor_cast<stage_actor>(x));
  }

  void send(const weights& header, payload data) override {
    self_->send(stages_[how_->device_of_cell[header.user]], header,
                std::move(data));
  }

  void send(prepared message) override {
    self_->send(scheduler_, std::move(message));
  }

  void send(const applied& message) override {
    self_->send(scheduler_, message);
  }

  void send(const shard& header, payload data) override {
    self_->send(feed_, header, std::move(data));
  }

  void send(const installed& message) override {
    self_->send(scheduler_, message);
  }

  void send(abandoned message) override {
    self_->send(scheduler_, std::move(message));
  }

  void send(failed message) override {
    self_->send(scheduler_, std::move(message));
  }

private:
  parameter_pointer self_;
  std::shared_ptr<const plan> how_;
  scheduler_actor scheduler_;
  scheduler_actor feed_;
  std::vector<stage_actor> stages_;
};

} // namespace

parameter_actor::behavior_type make_parameter(parameter_pointer self,
                                              parameter_options options) {
  auto out = std::make_unique<mailbox_out>(self, options.how);
  auto& mailbox = *out;
  self->state.out = std::move(out);
  try {
    self->state.core =
      std::make_unique<parameter_core>(std::move(options), mailbox);
  } catch (const std::exception& error) {
    // The scheduler, which monitors this actor, tells the user why it is gone.
    self->quit(caf::make_error(caf::sec::runtime_error, error.what()));
    return parameter_actor::behavior_type::make_empty_behavior();
  }
  return {
    [self, &mailbox](const introduction& everyone) {
      mailbox.meet(everyone);
      self->state.core->publish();
    },
    [self](const accumulated& header, payload& data) {
      self->state.core->accept(header, std::move(data));
    },
    [](const inquire&) {},
    [self](const apply_update& message) { self->state.core->accept(message); },
    [self](const committed& message) { self->state.core->accept(message); },
    [self](const abandon& message) { self->state.core->accept(message); },
    [self](const get_shard& message) { self->state.core->accept(message); },
    [self](const shard& header, payload& data) {
      self->state.core->accept(header, std::move(data));
    },
    [](const take_inventory& asked) {
      return inventory{asked.run, asked.attempt, 0, {}};
    },
  };
}

} // namespace actorpipe
