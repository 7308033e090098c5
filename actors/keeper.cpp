// SPDX-License-Identifier: Apache-2.0
/// The keeper actor.
#include "actors/keeper.hpp"

#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>

#include <utility>
#include <vector>

namespace actorpipe {

namespace {

using keeper_pointer = keeper_actor::stateful_pointer<keeper_state>;

class mailbox_out final : public keeper_core::outbox {
public:
  mailbox_out(keeper_pointer self, std::uint64_t run)
    : self_(self), run_(run) {}

  void meet(const introduction& everyone) {
    if (everyone.run != run_ || everyone.attempt < attempt_)
      return;
    attempt_ = everyone.attempt;
    scheduler_ = caf::actor_cast<scheduler_actor>(everyone.scheduler);
    parameters_.clear();
    for (const auto& x : everyone.parameters)
      parameters_.push_back(caf::actor_cast<parameter_actor>(x));
  }

  void send(const replicated& message) override {
    self_->send(scheduler_, message);
  }

  void send(const shard& header, payload data) override {
    if (header.cell < parameters_.size())
      self_->send(parameters_[header.cell], header, std::move(data));
  }

  void send(failed message) override {
    self_->send(scheduler_, std::move(message));
  }

private:
  keeper_pointer self_;
  std::uint64_t run_;
  std::uint64_t attempt_ = 0;
  scheduler_actor scheduler_;
  std::vector<parameter_actor> parameters_;
};

} // namespace

keeper_actor::behavior_type make_keeper(keeper_pointer self,
                                        keeper_options options) {
  auto out = std::make_unique<mailbox_out>(self, options.run);
  auto& mailbox = *out;
  self->state.out = std::move(out);
  self->state.core = std::make_unique<keeper_core>(std::move(options), mailbox);
  return {
    [&mailbox](const introduction& everyone) { mailbox.meet(everyone); },
    [self](const shard& header, payload& data) {
      self->state.core->accept(header, std::move(data));
    },
    [self](const inquire& message) { self->state.core->accept(message); },
    [self](const fetch& message) { self->state.core->accept(message); },
    [self](const abandon& message) { self->state.core->accept(message); },
    [self](const take_inventory& asked) {
      return self->state.core->replicas(asked);
    },
  };
}

} // namespace actorpipe
