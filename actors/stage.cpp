// SPDX-License-Identifier: Apache-2.0
/// The stage actor.
#include "actors/stage.hpp"

#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>

#include <utility>

namespace actorpipe {

namespace {

using stage_pointer = stage_actor::stateful_pointer<stage_state>;

class mailbox_out final : public stage_core::outbox {
public:
  mailbox_out(stage_pointer self, const stage_options& options)
    : self_(self), how_(options.how), run_(options.run) {}

  void meet(const introduction& everyone) {
    if (everyone.run != run_ || everyone.attempt < attempt_)
      return;
    attempt_ = everyone.attempt;
    scheduler_ = caf::actor_cast<scheduler_actor>(everyone.scheduler);
    feed_ = caf::actor_cast<scheduler_actor>(everyone.feed);
    stages_.clear();
    parameters_.clear();
    for (const auto& x : everyone.stages)
      stages_.push_back(caf::actor_cast<stage_actor>(x));
    for (const auto& x : everyone.parameters)
      parameters_.push_back(caf::actor_cast<parameter_actor>(x));
  }

  void send(const edge_data& header, payload data) override {
    const auto& crossing = how_->edges[header.edge];
    const auto cell = header.gradient ? crossing.from : crossing.to;
    self_->send(stages_[how_->device_of_cell[cell]], header, std::move(data));
  }

  void send(const credit& message) override {
    const auto& crossing = how_->edges[message.edge];
    const auto cell = message.gradient ? crossing.to : crossing.from;
    if (cell == edge::feed)
      self_->send(feed_, message);
    else
      self_->send(stages_[how_->device_of_cell[cell]], message);
  }

  void send(std::uint32_t owner, const accumulated& header,
            payload data) override {
    self_->send(parameters_[owner], header, std::move(data));
  }

  void send(const begun& message) override { self_->send(scheduler_, message); }

  void send(finished message) override {
    self_->send(scheduler_, std::move(message));
  }

  void send(failed message) override {
    self_->send(scheduler_, std::move(message));
  }

  void send(abandoned message) override {
    self_->send(scheduler_, std::move(message));
  }

private:
  stage_pointer self_;
  std::shared_ptr<const plan> how_;
  std::uint64_t run_;
  std::uint64_t attempt_ = 0;
  scheduler_actor scheduler_;
  scheduler_actor feed_;
  std::vector<stage_actor> stages_;
  std::vector<parameter_actor> parameters_;
};

// Runs an action if one is ready, and comes back after the waiting messages if
// there is another.
void advance(stage_pointer self) {
  auto& state = self->state;
  if (state.continuing)
    return;
  if (state.core->runnable())
    state.core->run_next();
  if (state.core->runnable()) {
    state.continuing = true;
    self->send(self, run_next{});
  }
}

} // namespace

stage_actor::behavior_type make_stage(stage_pointer self,
                                      stage_options options) {
  auto out = std::make_unique<mailbox_out>(self, options);
  auto& mailbox = *out;
  self->state.out = std::move(out);
  self->state.core = std::make_unique<stage_core>(std::move(options), mailbox);
  return {
    [self, &mailbox](const introduction& everyone) { mailbox.meet(everyone); },
    [self](const begin_step& message) {
      self->state.core->accept(message);
      advance(self);
    },
    [self](const inquire& message) { self->state.core->accept(message); },
    [self](const edge_data& header, payload& data) {
      self->state.core->accept(header, std::move(data));
      advance(self);
    },
    [self](const credit& message) {
      self->state.core->accept(message);
      advance(self);
    },
    [self](const weights& header, payload& data) {
      self->state.core->accept(header, std::move(data));
      advance(self);
    },
    [self](const abandon& message) { self->state.core->accept(message); },
    [self](const run_next&) {
      self->state.continuing = false;
      advance(self);
    },
  };
}

} // namespace actorpipe
