// SPDX-License-Identifier: Apache-2.0
/// The node actor.
#include "actors/cluster/node.hpp"

#include "actors/cluster/neighbours.hpp"
#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/sec.hpp>
#include <caf/send.hpp>
#include <caf/system_messages.hpp>

#include <chrono>
#include <exception>
#include <utility>

namespace actorpipe {

namespace {

using node_pointer = node_actor::stateful_pointer<node_state>;

void log(node_pointer self, const std::string& text) {
  if (self->state.around->log)
    self->state.around->log(text);
}

// Ends what is there of a run; the node stays a member of it.
void end_actors(node_pointer self) {
  self->state.linking.clear();
  self->state.around->office->close();
  self->state.run.reset();
  self->state.placed.reset();
  self->state.attempt = 0;
  self->state.told.reset();
}

void become_free(node_pointer self, const std::string& why) {
  if (!self->state.member_of)
    return;
  log(self, "free: " + why);
  end_actors(self);
  self->demonitor(self->state.supervisor->address());
  self->state.supervisor = nullptr;
  self->state.member_of.reset();
  self->state.view = {};
}

std::int64_t silent_ns(node_pointer self) {
  return self->state.around->now_ns() - self->state.heard_ns;
}

// Looks after the supervisor four times in the patience that it asked for.
void look_again(node_pointer self) {
  self->state.is_looking = true;
  self->delayed_send(
    self, std::chrono::nanoseconds(self->state.member_of->patience_ns / 4),
    look_around{});
}

bool is_mine(node_pointer self, std::uint64_t run, std::uint64_t session) {
  const auto& member_of = self->state.member_of;
  if (!member_of || member_of->run != run || member_of->session != session)
    return false;
  self->state.heard_ns = self->state.around->now_ns();
  return true;
}

caf::error not_a_member() {
  return caf::make_error(caf::sec::invalid_argument,
                         "this node does not work for that run and session");
}

joined answer_join(node_pointer self, const join& message) {
  auto& state = self->state;
  joined answer{
    message.run, message.session, message.index, {}, state.around->facts};
  const auto who = self->current_sender();
  if (state.member_of && state.member_of->run != message.run
      && silent_ns(self) < state.member_of->patience_ns) {
    answer.refusal = "it works for the run of " + state.member_of->trainer
                   + ", which it heard of "
                   + std::to_string(silent_ns(self) / 1'000'000) + " ms ago";
    return answer;
  }
  const bool repeated = state.member_of && state.member_of->run == message.run
                     && state.member_of->session == message.session;
  if (repeated) {
    state.heard_ns = state.around->now_ns();
    return answer;
  }
  become_free(self, "another session begins");
  state.member_of = message;
  state.supervisor = caf::actor_cast<caf::strong_actor_ptr>(who);
  state.heard_ns = state.around->now_ns();
  self->monitor(state.supervisor);
  if (!state.is_looking)
    look_again(self);
  log(self, "works for the run of " + message.trainer);
  return answer;
}

void report(node_pointer self, std::uint64_t attempt, const std::string& what) {
  auto& state = self->state;
  if (!state.member_of || !state.placed)
    return;
  const trouble message{state.member_of->run, state.member_of->session, attempt,
                        state.member_of->index, what};
  if (attempt == state.attempt)
    state.told = message;
  self->send(caf::actor_cast<supervisor_actor>(state.supervisor), message);
}

// Trouble may get lost: it is told until the supervisor begins an attempt.
void report_again(node_pointer self) {
  if (self->state.told)
    self->send(caf::actor_cast<supervisor_actor>(self->state.supervisor),
               *self->state.told);
}

// The supervisor speaks of that attempt; false if it is over.
bool note_attempt(node_pointer self, std::uint64_t attempt) {
  auto& state = self->state;
  if (attempt > state.attempt) {
    state.attempt = attempt;
    state.told.reset();
  }
  return attempt == state.attempt;
}

hosted answer_host(node_pointer self, const host& message) {
  auto& state = self->state;
  hosted answer{
    message.run, message.attempt, state.member_of->index, {}, {}, {}, {},
    {},          nullptr};
  try {
    if (!state.placed || state.placed->attempt != message.attempt) {
      if (!state.run)
        state.run = std::make_unique<hosted_run>(
          self->system(), state.around->how,
          std::make_shared<const job>(message.what), state.member_of->index);
      state.run->arrange(message.where, [self](const auto& actor, auto name) {
        self->state.names[actor->address()] = std::move(name);
        self->monitor(actor);
      });
      state.placed = message;
      state.is_linked = false;
      // Whoever awaits the links of an attempt before waits in vain.
      state.linking.clear();
      state.around->office->expect(
        state.run->route(message.where, message.attempt, message.session));
    }
  } catch (const std::exception& error) {
    answer.failure = error.what();
    return answer;
  }
  const auto& actors = state.run->actors();
  const auto list = [](const auto& all, auto& indices, auto& present) {
    for (std::uint32_t i = 0; i < all.size(); ++i)
      if (all[i]) {
        indices.push_back(i);
        present.push_back(all[i]);
      }
  };
  list(actors.stages, answer.stages, answer.stage_actors);
  list(actors.parameters, answer.cells, answer.parameter_actors);
  answer.keeper = actors.keeper;
  return answer;
}

void introduce_all(node_pointer self) {
  auto& state = self->state;
  const auto& placed = *state.placed;
  const auto route =
    state.run->route(placed.where, placed.attempt, placed.session);
  const auto everyone = make_introduction(
    route, *state.around->office, state.run->through_faults(placed.scheduler));
  // Stages first: parameter actors publish to them once introduced.
  for (const auto& x : route.locals.stages)
    if (x)
      self->send(caf::actor_cast<stage_actor>(x), everyone);
  for (const auto& x : route.locals.parameters)
    if (x)
      self->send(caf::actor_cast<parameter_actor>(x), everyone);
  self->send(caf::actor_cast<keeper_actor>(route.locals.keeper), everyone);
}

linked answer_linked(node_pointer self, std::string failure) {
  return {self->state.placed->run, self->state.placed->attempt,
          self->state.member_of->index, std::move(failure)};
}

void conclude_linking(node_pointer self, const own_links& message) {
  auto& state = self->state;
  if (!state.placed || state.placed->attempt != message.attempt)
    return;
  if (message.failure.empty() && !state.is_linked) {
    state.is_linked = true;
    introduce_all(self);
  }
  for (auto& promise : std::exchange(state.linking, {}))
    promise.deliver(answer_linked(self, message.failure));
}

// Gathers what the actors of the run have; whoever is gone has nothing.
caf::result<inventory> answer_inventory(node_pointer self,
                                        const take_inventory& message) {
  struct gathering {
    caf::typed_response_promise<inventory> promise;
    inventory all;
    std::size_t left = 0;

    void conclude() {
      if (--left == 0)
        promise.deliver(std::move(all));
    }
  };
  auto promise = self->make_response_promise<inventory>();
  auto parts = std::make_shared<gathering>();
  parts->promise = promise;
  parts->all = {message.run, message.attempt, self->state.member_of->index, {}};
  const auto ask = [&](const auto& actor) {
    ++parts->left;
    self->request(actor, caf::infinite, message)
      .then(
        [parts](const inventory& part) {
          parts->all.shards.insert(parts->all.shards.end(), part.shards.begin(),
                                   part.shards.end());
          parts->conclude();
        },
        [parts](const caf::error&) { parts->conclude(); });
  };
  if (self->state.run) {
    const auto& actors = self->state.run->actors();
    for (const auto& x : actors.parameters)
      if (x)
        ask(caf::actor_cast<parameter_actor>(x));
    if (actors.keeper)
      ask(caf::actor_cast<keeper_actor>(actors.keeper));
  }
  if (parts->left == 0)
    promise.deliver(std::move(parts->all));
  return promise;
}

node_status answer_status(node_pointer self) {
  const auto& state = self->state;
  node_status answer;
  answer.facts = state.around->facts;
  if (!state.member_of)
    return answer;
  answer.run = state.member_of->run;
  answer.index = state.member_of->index;
  answer.silent_ns = silent_ns(self);
  if (state.run)
    answer.stages = state.run->standings();
  answer.view = state.view;
  return answer;
}

void note_down(node_pointer self, const caf::down_msg& down) {
  auto& state = self->state;
  if (state.supervisor && down.source == state.supervisor->address())
    return become_free(self, "the trainer has gone");
  const auto found = state.names.find(down.source);
  if (found == state.names.end())
    return;
  const auto name = std::move(found->second);
  state.names.erase(found);
  if (!state.run || !state.run->forget(down.source) || !state.placed)
    return;
  // In the present attempt: the supervisor may have been told otherwise.
  report(self, state.attempt, name + " has gone: " + to_string(down.reason));
}

} // namespace

node_actor::behavior_type make_node(node_pointer self,
                                    std::shared_ptr<node_environment> around) {
  self->state.around = std::move(around);
  // Weak: the office belongs to what this actor holds.
  const auto address = self->address();
  self->state.around->office->report_to(
    {[address](std::uint64_t attempt, const std::string& failure) {
       if (const auto to = caf::actor_cast<node_actor>(address))
         caf::anon_send(to, own_links{attempt, failure});
     },
     [address](std::uint64_t attempt, const std::string& why) {
       if (const auto to = caf::actor_cast<node_actor>(address))
         caf::anon_send(to, trouble{0, 0, attempt, 0, why});
     }});
  self->set_down_handler(
    [self](const caf::down_msg& down) { note_down(self, down); });
  return {
    [self](const join& message) { return answer_join(self, message); },
    [self](const ping& message) -> caf::result<pong> {
      if (!is_mine(self, message.run, message.session))
        return not_a_member();
      auto& state = self->state;
      state.view = message.view;
      report_again(self);
      return pong{message.run, message.session, state.member_of->index,
                  message.count,
                  state.run ? state.run->standings() : std::vector<standing>{}};
    },
    [self](const host& message) -> caf::result<hosted> {
      if (!is_mine(self, message.run, message.session)
          || !note_attempt(self, message.attempt))
        return not_a_member();
      return answer_host(self, message);
    },
    [self](const open_links& message) -> caf::result<linked> {
      auto& state = self->state;
      if (!is_mine(self, message.run, message.session) || !state.placed
          || state.placed->attempt != message.attempt)
        return not_a_member();
      if (state.is_linked)
        return answer_linked(self, {});
      auto promise = self->make_response_promise<linked>();
      state.linking.push_back(promise);
      if (state.linking.size() == 1)
        state.around->office->open();
      return promise;
    },
    [self](const take_inventory& message) -> caf::result<inventory> {
      if (!is_mine(self, message.run, message.session)
          || !note_attempt(self, message.attempt))
        return not_a_member();
      return answer_inventory(self, message);
    },
    [self](const own_links& message) { conclude_linking(self, message); },
    [self](const trouble& message) {
      report(self, message.attempt, message.what);
    },
    [self](const look_around&) {
      auto& state = self->state;
      state.is_looking = false;
      if (!state.member_of)
        return;
      if (silent_ns(self) >= state.member_of->patience_ns)
        return become_free(self, "the trainer is silent");
      look_again(self);
    },
    [self](const replace_process& message) {
      if (is_mine(self, message.run, message.session)
          && self->state.around->replace)
        self->state.around->replace();
    },
    [self](const leave& message) {
      if (is_mine(self, message.run, message.session))
        become_free(self, "the run has ended");
    },
    [self](const get_status&) { return answer_status(self); },
  };
}

} // namespace actorpipe
