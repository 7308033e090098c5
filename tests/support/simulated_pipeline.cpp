// SPDX-License-Identifier: Apache-2.0
/// A pipeline's actors in one thread.
#include "tests/support/simulated_pipeline.hpp"

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
#include <iterator>
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
  std::vector<caf::strong_actor_ptr> parameters;
  std::shared_ptr<const parameter_layout> layout;
  std::vector<held> later;
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
      return false;
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

  template <class Request>
  std::optional<step_outcome> ask(const Request& how, const batch& data) {
    auto outcome = std::make_shared<std::optional<step_outcome>>();
    const auto scheduler =
      caf::actor_cast<scheduler_actor>(actors.at("scheduler"));
    system.spawn([=](caf::event_based_actor* self) {
      self->request(scheduler, caf::infinite, how, local_batch{data})
        .then([=](step_outcome& answer) { *outcome = std::move(answer); });
    });
    while (!*outcome && run_one()) {
      // Until it is there or cannot come.
    }
    return *outcome;
  }

  cell_values values_of(std::size_t cell) {
    auto result = std::make_shared<std::optional<cell_values>>();
    const auto owner = caf::actor_cast<parameter_actor>(parameters[cell]);
    system.spawn([=](caf::event_based_actor* self) {
      self->request(owner, caf::infinite, get_values{})
        .then([=](cell_values& answer) { *result = std::move(answer); });
    });
    while (!*result && run_one()) {
      // Until it is there or cannot come.
    }
    return result->value();
  }
};

simulated_pipeline::simulated_pipeline(simulation_options options)
  : impl_(std::make_unique<implementation>(std::move(options))) {
  auto& x = impl_->options;
  const auto how = std::make_shared<const plan>(x.how);
  impl_->layout = std::make_shared<const parameter_layout>(*x.source, how->cut);
  constexpr std::uint64_t run = 77;
  const auto clock = [this] { return impl_->now_ns += 1000; };
  std::vector<std::shared_ptr<device>> devices;
  for (std::uint32_t i = 0; i < how->devices(); ++i) {
    const auto name = "stage " + std::to_string(i);
    devices.push_back(make_reference_device("device of " + name));
    impl_->enrol(
      name, impl_->system.spawn(
              make_stage,
              stage_options{i, run, x.seed, x.source, how, impl_->layout,
                            devices[i], std::make_shared<memory_account>(name),
                            std::make_shared<memory_account>(name), clock}));
  }
  for (std::uint32_t i = 0; i < how->cells(); ++i) {
    const auto name = "parameter " + std::to_string(i);
    impl_->parameters.push_back(impl_->enrol(
      name, impl_->system.spawn(
              make_parameter,
              parameter_options{i, how->cut[i], how->cut[i + 1], run, x.seed,
                                x.source, x.rule, impl_->layout,
                                devices[how->device_of_cell[i]],
                                std::make_shared<memory_account>(name)},
              how)));
  }
  impl_->enrol("scheduler",
               impl_->system.spawn(
                 make_scheduler,
                 scheduler_options{run, x.source, how, impl_->layout, clock}));
  introduction everyone;
  everyone.scheduler = impl_->known_as("scheduler");
  for (std::uint32_t i = 0; i < how->devices(); ++i)
    everyone.stages.push_back(impl_->known_as("stage " + std::to_string(i)));
  for (std::uint32_t i = 0; i < how->cells(); ++i)
    everyone.parameters.push_back(
      impl_->known_as("parameter " + std::to_string(i)));
  // Stages first: parameter actors publish to them once introduced.
  for (std::uint32_t i = 0; i < how->devices(); ++i)
    inject("stage " + std::to_string(i), caf::make_message(everyone));
  for (std::uint32_t i = 0; i < how->cells(); ++i)
    inject("parameter " + std::to_string(i), caf::make_message(everyone));
  inject("scheduler", caf::make_message(everyone));
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
  return impl_->ask(how, data);
}

std::optional<step_outcome> simulated_pipeline::evaluate(const batch& data) {
  return impl_->ask(evaluate_request{}, data);
}

model_values simulated_pipeline::values() {
  const auto& source = *impl_->options.source;
  model_values result;
  result.parameters.resize(source.parameters().size());
  for (std::uint32_t i = 0; i < impl_->parameters.size(); ++i) {
    auto part = impl_->values_of(i);
    const auto& owned = impl_->layout->owned_by(i);
    for (std::size_t j = 0; j < owned.size(); ++j)
      result.parameters[owned[j]] = std::move(part.parameters[j]);
    std::ranges::move(part.states, std::back_inserter(result.states));
    result.updates = part.updates;
  }
  return result;
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
