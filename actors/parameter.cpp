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

// The one of that cell, if there is one.
caf::strong_actor_ptr of(const std::vector<caf::strong_actor_ptr>& actors,
                         std::uint32_t cell) {
  return cell < actors.size() ? actors[cell] : nullptr;
}

class mailbox_out final : public parameter_core::outbox {
public:
  mailbox_out(parameter_pointer self, const parameter_options& options)
    : self_(self), how_(options.how), run_(options.run), cell_(options.cell) {}

  // False when these are not the newest.
  bool meet(const introduction& everyone) {
    if (everyone.run != run_ || everyone.attempt < attempt_)
      return false;
    attempt_ = everyone.attempt;
    scheduler_ = caf::actor_cast<scheduler_actor>(everyone.scheduler);
    feed_ = caf::actor_cast<scheduler_actor>(everyone.feed);
    keeper_ = caf::actor_cast<keeper_actor>(of(everyone.keepers, cell_));
    source_ = caf::actor_cast<keeper_actor>(of(everyone.sources, cell_));
    stages_.clear();
    for (const auto& x : everyone.stages)
      stages_.push_back(caf::actor_cast<stage_actor>(x));
    return true;
  }

  void send(const weights& header, payload data) override {
    self_->send(stages_[how_->device_of_cell[header.user]], header,
                std::move(data));
  }

  void send(const shard& header, payload data) override {
    if (header.purpose == shard_purpose::replica)
      self_->send(keeper_, header, std::move(data));
    else
      self_->send(feed_, header, std::move(data));
  }

  void send(const fetch& message) override { self_->send(source_, message); }

  void send(prepared message) override { tell(std::move(message)); }
  void send(const applied& message) override { tell(message); }
  void send(const installed& message) override { tell(message); }
  void send(abandoned message) override { tell(std::move(message)); }
  void send(failed message) override { tell(std::move(message)); }

private:
  template <class Message>
  void tell(Message message) {
    self_->send(scheduler_, std::move(message));
  }

  parameter_pointer self_;
  std::shared_ptr<const plan> how_;
  std::uint64_t run_;
  std::uint32_t cell_;
  std::uint64_t attempt_ = 0;
  scheduler_actor scheduler_;
  scheduler_actor feed_;
  keeper_actor keeper_;
  keeper_actor source_;
  std::vector<stage_actor> stages_;
};

} // namespace

parameter_actor::behavior_type make_parameter(parameter_pointer self,
                                              parameter_options options) {
  auto out = std::make_unique<mailbox_out>(self, options);
  auto& mailbox = *out;
  const auto cell = options.cell;
  self->state.out = std::move(out);
  try {
    self->state.core =
      std::make_unique<parameter_core>(std::move(options), mailbox);
  } catch (const std::exception& error) {
    // Whoever monitors this actor tells the user why it is gone.
    self->quit(caf::make_error(caf::sec::runtime_error, error.what()));
    return parameter_actor::behavior_type::make_empty_behavior();
  }
  return {
    [self, &mailbox, cell](const introduction& everyone) {
      if (mailbox.meet(everyone))
        self->state.core->meet(
          {everyone.attempt, of(everyone.keepers, cell) != nullptr,
           of(everyone.sources, cell) != nullptr, !everyone.keepers.empty()});
    },
    [self](const accumulated& header, payload& data) {
      self->state.core->accept(header, std::move(data));
    },
    [self](const inquire& message) { self->state.core->accept(message); },
    [self](const apply_update& message) { self->state.core->accept(message); },
    [self](const committed& message) { self->state.core->accept(message); },
    [self](const abandon& message) { self->state.core->accept(message); },
    [self](const get_shard& message) { self->state.core->accept(message); },
    [self](const shard& header, const payload& data) {
      self->state.core->accept(header, data);
    },
    [self](const take_inventory& asked) {
      return self->state.core->versions(asked);
    },
  };
}

} // namespace actorpipe
