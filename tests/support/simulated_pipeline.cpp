// SPDX-License-Identifier: Apache-2.0
/// A pipeline's actors in one thread.
#include "tests/support/simulated_pipeline.hpp"

#include "actors/keeper.hpp"
#include "actors/parameter.hpp"
#include "actors/scheduler.hpp"
#include "actors/stage.hpp"
#include "messages/configure.hpp"
#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <stdexcept>
#include <utility>

namespace actorpipe::test {

namespace {

struct simulated_config : caf::actor_system_config {
  simulated_config() {
    set("scheduler.policy", caf::atom("testing"));
    configure(*this);
  }
};

using relay = std::function<void(caf::message)>;

// Stands in for an actor and hands on whatever comes.
caf::behavior stand_in(caf::event_based_actor* self, relay pass) {
  self->set_default_handler(
    [pass](caf::scheduled_actor*,
           caf::message_view& what) -> caf::result<caf::message> {
      pass(what.move_content_to_message());
      return caf::delegated<caf::message>{};
    });
  return {[](caf::unit_t) {}};
}

} // namespace

struct simulated_pipeline::implementation {
  explicit implementation(simulation_options x) : options(std::move(x)) {}

  struct held {
    caf::strong_actor_ptr to;
    caf::message what;
  };

  simulation_options options;
  simulated_config config;
  caf::actor_system system{config};
  caf::scheduler::test_coordinator& coordinator =
    dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  std::mt19937_64 draw{options.order_seed};
  std::int64_t now_ns = 0;
  std::map<std::string, caf::strong_actor_ptr> actors; ///< of the pipeline
  std::vector<caf::strong_actor_ptr> stand_ins;
  std::map<caf::actor_id, std::string> names; ///< of both
  introduction everyone;                      ///< as the others know them
  std::vector<held> later;
  std::uint32_t waits = 0; ///< of the request at hand
  std::vector<std::string> trace;

  template <class Handle>
  caf::strong_actor_ptr enrol(const std::string& name, const Handle& actor) {
    auto result = caf::actor_cast<caf::strong_actor_ptr>(actor);
    actors.emplace(name, result);
    names.emplace(result->id(), name);
    return result;
  }

  // Whom the others take for the actor of that name.
  caf::strong_actor_ptr known_as(const std::string& name) {
    const auto to = actors.at(name);
    if (!options.between && !options.traced)
      return to;
    const relay pass = [this, name, to](caf::message what) {
      if (options.traced)
        trace.push_back(name + " is sent " + to_string(what));
      if (!options.between)
        return deliver(to, std::move(what));
      auto [now, late] = options.between(name, what);
      for (auto& x : now)
        deliver(to, std::move(x));
      for (auto& x : late)
        later.push_back({to, std::move(x)});
    };
    stand_ins.push_back(
      caf::actor_cast<caf::strong_actor_ptr>(system.spawn(stand_in, pass)));
    names.emplace(stand_ins.back()->id(), "to " + name);
    return stand_ins.back();
  }

  static void deliver(const caf::strong_actor_ptr& to, caf::message what) {
    caf::anon_send(caf::actor_cast<caf::actor>(to), std::move(what));
  }

  // Handles one message; false when there is none.
  bool run_one() {
    auto& jobs = coordinator.jobs;
    if (jobs.empty() && later.empty())
      return waits++ < options.most_waits && coordinator.trigger_timeout();
    if (options.haste > 0 && draw() % options.haste == 0) {
      deliver(actors.at("scheduler"), caf::make_message(repeat_unanswered{}));
      return true;
    }
    if (!later.empty() && (jobs.empty() || draw() % options.patience == 0)) {
      const auto at =
        later.begin() + static_cast<std::ptrdiff_t>(draw() % later.size());
      auto [to, what] = std::move(*at);
      later.erase(at);
      deliver(to, std::move(what));
      return true;
    }
    const auto next =
      jobs.begin() + static_cast<std::ptrdiff_t>(draw() % jobs.size());
    std::rotate(jobs.begin(), next, next + 1);
    if (options.traced)
      note_next();
    coordinator.run_once();
    return true;
  }

  void note_next() {
    const auto found =
      names.find(coordinator.next_job<caf::scheduled_actor>().id());
    trace.push_back(found == names.end() ? "a client" : found->second);
  }

  // The answer is put where this points.
  template <class Answer, class Actor = scheduler_actor, class... Request>
  std::shared_ptr<std::optional<Answer>> begin(const std::string& whom,
                                               const Request&... what) {
    waits = 0;
    auto result = std::make_shared<std::optional<Answer>>();
    const auto to = caf::actor_cast<Actor>(actors.at(whom));
    system.spawn([=](caf::event_based_actor* self) {
      self->request(to, caf::infinite, what...).then([=](Answer& answer) {
        *result = std::move(answer);
      });
    });
    return result;
  }

  template <class Answer, class Actor = scheduler_actor, class... Request>
  std::optional<Answer> ask(const std::string& whom, const Request&... what) {
    const auto result = begin<Answer, Actor>(whom, what...);
    while (!*result && run_one()) {
      // Until it is there or cannot come.
    }
    return std::move(*result);
  }
};

simulated_pipeline::simulated_pipeline(simulation_options options)
  : impl_(std::make_unique<implementation>(std::move(options))) {
  auto& x = impl_->options;
  auto& system = impl_->system;
  const auto how = std::make_shared<const plan>(x.how);
  const auto layout =
    std::make_shared<const parameter_layout>(*x.source, how->cut);
  constexpr std::uint64_t run = 77;
  const auto clock = [this] { return impl_->now_ns += 1000; };
  const auto account = [](const std::string& name) {
    return std::make_shared<memory_account>(name);
  };
  std::vector<std::shared_ptr<device>> devices;
  for (std::uint32_t i = 0; i < how->devices(); ++i) {
    const auto name = "stage " + std::to_string(i);
    devices.push_back(make_reference_device("device of " + name));
    impl_->enrol(
      name,
      system.spawn(make_stage, stage_options{i, run, x.seed, x.source, how,
                                             layout, devices[i], account(name),
                                             account(name), clock}));
  }
  for (std::uint32_t i = 0; i < how->cells(); ++i) {
    const auto name = "parameter " + std::to_string(i);
    impl_->enrol(
      name, system.spawn(make_parameter,
                         parameter_options{
                           i, run, x.seed, x.source, x.rule, how, layout,
                           devices[how->device_of_cell[i]], account(name)}));
  }
  for (std::uint32_t i = 0; i < x.keepers; ++i) {
    const auto name = "keeper " + std::to_string(i);
    impl_->enrol(
      name, system.spawn(make_keeper, keeper_options{run, x.source, x.rule, how,
                                                     layout, account(name)}));
  }
  scheduler_options scheduling{run, x.source, x.rule, how, layout, clock};
  scheduling.repeat_interval = std::chrono::milliseconds(1);
  impl_->enrol("scheduler", system.spawn(make_scheduler, scheduling));
  auto& everyone = impl_->everyone;
  everyone.run = run;
  everyone.scheduler = everyone.feed = impl_->known_as("scheduler");
  for (std::uint32_t i = 0; i < how->devices(); ++i)
    everyone.stages.push_back(impl_->known_as("stage " + std::to_string(i)));
  for (std::uint32_t i = 0; i < how->cells(); ++i)
    everyone.parameters.push_back(
      impl_->known_as("parameter " + std::to_string(i)));
  std::vector<caf::strong_actor_ptr> keepers;
  for (std::uint32_t i = 0; i < x.keepers; ++i)
    keepers.push_back(impl_->known_as("keeper " + std::to_string(i)));
  for (std::uint32_t i = 0; x.keepers > 0 && i < how->cells(); ++i)
    everyone.keepers.push_back(keepers[i % x.keepers]);
  introduce(0);
}

void simulated_pipeline::introduce(std::uint64_t attempt) {
  impl_->everyone.attempt = attempt;
  // Parameter actors last: they publish once introduced.
  const auto tell = [&](bool parameters) {
    for (const auto& [name, actor] : impl_->actors)
      if (name.starts_with("parameter") == parameters)
        inject(name, caf::make_message(impl_->everyone));
  };
  tell(false);
  tell(true);
}

simulated_pipeline::~simulated_pipeline() {
  impl_->later.clear();
  const auto end = [](const caf::strong_actor_ptr& x) {
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  };
  for (const auto& [name, actor] : impl_->actors)
    end(actor);
  std::ranges::for_each(impl_->stand_ins, end);
  impl_->coordinator.run();
}

std::optional<step_outcome>
simulated_pipeline::train(const batch& data, const train_request& how) {
  return impl_->ask<step_outcome>("scheduler", how, local_batch{data});
}

std::optional<step_outcome> simulated_pipeline::evaluate(const batch& data) {
  return impl_->ask<step_outcome>("scheduler", evaluate_request{},
                                  local_batch{data});
}

std::optional<values_outcome>
simulated_pipeline::set_values(const model_values& next) {
  return impl_->ask<values_outcome>("scheduler", actorpipe::set_values{},
                                    local_values{next});
}

model_values simulated_pipeline::values() {
  auto outcome = impl_->ask<values_outcome>("scheduler", get_values{});
  if (!outcome || !outcome->ok)
    throw std::runtime_error(outcome ? outcome->failure.text
                                     : "values do not come");
  return std::move(outcome->all);
}

std::shared_ptr<std::optional<step_outcome>>
simulated_pipeline::begin_training(const batch& data,
                                   const train_request& how) {
  return impl_->begin<step_outcome>("scheduler", how, local_batch{data});
}

std::shared_ptr<std::optional<values_outcome>>
simulated_pipeline::begin_install(const model_values& next) {
  return impl_->begin<values_outcome>("scheduler", actorpipe::set_values{},
                                      local_values{next});
}

std::shared_ptr<std::optional<resumed>>
simulated_pipeline::begin_resume(std::uint64_t attempt, std::int64_t version) {
  return impl_->begin<resumed>(
    "scheduler", actorpipe::resume{impl_->everyone.run, attempt, version});
}

bool simulated_pipeline::run(std::uint64_t messages) {
  while (messages > 0 && impl_->run_one())
    --messages;
  return messages == 0;
}

std::optional<halted> simulated_pipeline::halt(std::uint64_t count) {
  return impl_->ask<halted>(
    "scheduler", actorpipe::halt{impl_->everyone.run, count, "on purpose"});
}

std::set<std::int64_t>
simulated_pipeline::common_versions(std::uint64_t attempt) {
  std::map<std::int64_t, std::size_t> owners;
  for (std::size_t i = 0; i < impl_->everyone.parameters.size(); ++i) {
    const auto answer = impl_->ask<inventory, parameter_actor>(
      "parameter " + std::to_string(i),
      take_inventory{impl_->everyone.run, 0, attempt});
    std::set<std::int64_t> had;
    for (const auto& x : answer.value().shards)
      had.insert(x.version);
    for (const auto version : had)
      ++owners[version];
  }
  std::set<std::int64_t> result;
  for (const auto& [version, count] : owners)
    if (count == impl_->everyone.parameters.size())
      result.insert(version);
  return result;
}

std::optional<resumed> simulated_pipeline::resume(std::uint64_t attempt,
                                                  std::int64_t version) {
  return impl_->ask<resumed>(
    "scheduler", actorpipe::resume{impl_->everyone.run, attempt, version});
}

void simulated_pipeline::inject(const std::string& to, caf::message what) {
  implementation::deliver(impl_->actors.at(to), std::move(what));
}

void simulated_pipeline::inject_late(const std::string& to, caf::message what) {
  impl_->later.push_back({impl_->actors.at(to), std::move(what)});
}

void simulated_pipeline::end(const std::string& name) {
  caf::anon_send_exit(impl_->actors.at(name), caf::exit_reason::kill);
}

const std::vector<std::string>& simulated_pipeline::trace() const {
  return impl_->trace;
}

} // namespace actorpipe::test
