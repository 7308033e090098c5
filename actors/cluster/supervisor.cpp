// SPDX-License-Identifier: Apache-2.0
/// The supervisor actor.
#include "actors/cluster/supervisor.hpp"

#include "actors/cluster/representative.hpp"
#include "actors/faults/control_relay.hpp"
#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace actorpipe {

namespace {

using supervisor_pointer = supervisor_actor::stateful_pointer<supervisor_state>;

// Whatever is not answered is asked again.
void unanswered(const caf::error&) {}

class mailbox_out final : public supervisor_core::outbox {
public:
  mailbox_out(supervisor_pointer self, supervisor_options options)
    : self_(self), around_(*self->state.around), options_(std::move(options)),
      what_(std::make_shared<const job>(options_.what)),
      nodes_(options_.cluster.nodes.size()) {}

  ~mailbox_out() override { end_representatives(); }

  void meet(std::uint32_t node, const caf::strong_actor_ptr& who) {
    nodes_[node].real = who;
    nodes_[node].reached = caf::actor_cast<node_actor>(through(who, node));
    self_->monitor(who);
  }

  // The node whose actor that is, or the number of nodes.
  std::uint32_t node_of(const caf::actor_addr& who) const {
    const auto found = std::ranges::find_if(nodes_, [&](const auto& x) {
      return x.real && x.real->address() == who;
    });
    return static_cast<std::uint32_t>(found - nodes_.begin());
  }

  void connect(std::uint32_t node, const std::string& address) override {
    around_.connect(node, address, self_);
  }

  void disconnect(std::uint32_t node) override {
    if (nodes_[node].real)
      self_->demonitor(nodes_[node].real->address());
    nodes_[node] = {};
  }

  void send(std::uint32_t node, const join& message) override {
    ask<joined>(node, message);
  }

  void send(std::uint32_t node, const ping& message) override {
    ask<pong>(node, message);
  }

  void send(std::uint32_t node, const take_inventory& message) override {
    ask<inventory>(node, message);
  }

  void send(std::uint32_t node, host message) override {
    message.scheduler =
      caf::actor_cast<caf::strong_actor_ptr>(around_.scheduler);
    ask<hosted>(node, message);
  }

  void send(std::uint32_t node, const open_links& message) override {
    ask<linked>(node, message);
  }

  void send(std::uint32_t node, const replace_process& message) override {
    if (nodes_[node].reached)
      self_->send(nodes_[node].reached, message);
  }

  void send(std::uint32_t node, const leave& message) override {
    if (nodes_[node].reached)
      self_->send(nodes_[node].reached, message);
  }

  void open_own_links(std::uint64_t attempt,
                      const placement_map& where) override {
    around_.office->expect(route_of(attempt, where));
    around_.office->open();
  }

  void introduce(std::uint64_t attempt, const placement_map& where,
                 const std::map<std::uint32_t, hosted>& actors) override {
    end_representatives();
    const auto& how = options_.what.how;
    introduction everyone;
    everyone.run = options_.what.run;
    everyone.attempt = attempt;
    everyone.scheduler = everyone.feed =
      caf::actor_cast<caf::strong_actor_ptr>(around_.scheduler);
    everyone.stages.resize(how.devices());
    everyone.parameters.resize(how.cells());
    for (const auto& [node, message] : actors) {
      for (std::size_t i = 0; i < message.stages.size(); ++i)
        everyone.stages.at(message.stages[i]) =
          represent(node, message.stage_actors.at(i));
      for (std::size_t i = 0; i < message.cells.size(); ++i)
        everyone.parameters.at(message.cells[i]) =
          represent(node, message.parameter_actors.at(i));
    }
    if (options_.what.replicates)
      for (const auto node : where.keeper_of_cell) {
        const auto found = actors.find(node);
        everyone.keepers.push_back(found == actors.end()
                                     ? nullptr
                                     : represent(node, found->second.keeper));
      }
    self_->send(around_.scheduler, everyone);
  }

  void send(const halt& message) override {
    self_->request(around_.scheduler, caf::infinite, message)
      .then([this](const halted& answer) { self_->state.core->accept(answer); },
            unanswered);
  }

  void send(const resume& message) override {
    self_->request(around_.scheduler, caf::infinite, message)
      .then(
        [this](const resumed& answer) { self_->state.core->accept(answer); },
        unanswered);
  }

  void send(const give_up& message) override {
    self_->send(around_.scheduler, message);
  }

  void report(const cluster_event& event) override {
    if (options_.cluster.on_event)
      options_.cluster.on_event(event);
  }

private:
  struct reached_node {
    caf::strong_actor_ptr real;
    node_actor reached; ///< it, or what stands before it
  };

  template <class Answer, class Request>
  void ask(std::uint32_t node, const Request& message) {
    if (!nodes_[node].reached)
      return;
    self_
      ->request(nodes_[node].reached, 10 * options_.cluster.heartbeat, message)
      .then([this](const Answer& answer) { self_->state.core->accept(answer); },
            unanswered);
  }

  // What stands before an actor of that node: itself, unless there are faults
  // on purpose.
  caf::strong_actor_ptr through(const caf::strong_actor_ptr& who,
                                std::uint32_t node) {
    if (!around_.faults || !who)
      return who;
    return relay_control(self_->system(), who, [faults = around_.faults, node] {
      return faults->loses_control(node);
    });
  }

  caf::strong_actor_ptr represent(std::uint32_t node,
                                  const caf::strong_actor_ptr& who) {
    const auto control = through(who, node);
    representatives_.push_back(
      caf::actor_cast<caf::strong_actor_ptr>(self_->system().spawn(
        make_representative, control, around_.office->to(node))));
    return representatives_.back();
  }

  void end_representatives() {
    for (const auto& x : representatives_)
      caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
    representatives_.clear();
  }

  mail_route route_of(std::uint64_t attempt, const placement_map& where) const {
    mail_route result;
    result.what = what_;
    result.source = around_.parts.source;
    result.rule = around_.parts.rule;
    result.layout = around_.parts.layout;
    result.where = where;
    result.attempt = attempt;
    result.faults = around_.faults;
    result.locals.how = around_.parts.how;
    result.locals.stages.resize(options_.what.how.devices());
    result.locals.parameters.resize(options_.what.how.cells());
    result.locals.scheduler =
      caf::actor_cast<caf::strong_actor_ptr>(around_.scheduler);
    return result;
  }

  supervisor_pointer self_;
  supervisor_environment& around_;
  supervisor_options options_;
  std::shared_ptr<const job> what_;
  std::vector<reached_node> nodes_;
  std::vector<caf::strong_actor_ptr> representatives_;
};

} // namespace

supervisor_actor::behavior_type
make_supervisor(supervisor_pointer self, supervisor_options options,
                std::shared_ptr<supervisor_environment> around) {
  self->state.around = std::move(around);
  auto out = std::make_unique<mailbox_out>(self, options);
  auto& mailbox = *out;
  const auto interval = options.cluster.heartbeat / 4;
  self->state.out = std::move(out);
  self->state.core =
    std::make_unique<supervisor_core>(std::move(options), mailbox);
  const auto address = self->address();
  self->state.around->office->report_to(
    {[address](std::uint64_t attempt, const std::string& failure) {
       if (const auto to = caf::actor_cast<supervisor_actor>(address))
         caf::anon_send(to, own_links{attempt, failure});
     },
     [address](std::uint64_t attempt, const std::string& why) {
       if (const auto to = caf::actor_cast<supervisor_actor>(address))
         caf::anon_send(to, trouble{0, 0, attempt, trainer_process, why});
     }});
  self->set_down_handler([self, &mailbox](const caf::down_msg& down) {
    const auto node = mailbox.node_of(down.source);
    self->state.core->lose(node, "the connection has ended: "
                                   + to_string(down.reason));
  });
  self->set_exit_handler([self](const caf::exit_msg& message) {
    self->state.core->end();
    self->quit(message.reason);
  });
  self->send(self, look_around{});
  return {
    [self, &mailbox](const connected& message) {
      if (message.node)
        mailbox.meet(message.index, message.node);
      self->state.core->accept(message);
    },
    [self](const own_links& message) { self->state.core->accept(message); },
    [self](const trouble& message) { self->state.core->accept(message); },
    [self, interval](const look_around&) {
      self->state.core->look_around();
      self->delayed_send(self, interval, look_around{});
    },
    [self](const get_view&) { return self->state.core->view(); },
  };
}

} // namespace actorpipe
