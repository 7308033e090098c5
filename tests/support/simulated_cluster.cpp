// SPDX-License-Identifier: Apache-2.0
/// A trainer and its nodes in one thread.
#include "tests/support/simulated_cluster.hpp"

#include "actors/cluster/node.hpp"
#include "actors/cluster/supervisor.hpp"
#include "actors/faults/fault_injector.hpp"
#include "actors/scheduler.hpp"
#include "compute/layers/model_spec_json.hpp"
#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <map>
#include <utility>

namespace actorpipe::test {

namespace {

constexpr std::uint64_t run = 77;
constexpr std::chrono::hours longest{1};
constexpr std::chrono::milliseconds to_connect{1};
constexpr std::chrono::seconds not_to_connect{3};

// Of a message without a sender to an actor of a node: what links hand on there
// is none of these.
bool comes_from_scheduler(const caf::type_erased_tuple& what) {
  return what.match_elements<begin_step>() || what.match_elements<inquire>()
      || what.match_elements<apply_update>() || what.match_elements<committed>()
      || what.match_elements<get_shard>() || what.match_elements<abandon>();
}

} // namespace

struct simulated_cluster::implementation {
  struct node {
    place where = nowhere;
    node_actor actor;
  };

  explicit implementation(cluster_simulation_options x)
    : options(std::move(x)), world(options.world), links(world) {}

  cluster_simulation_options options;
  simulated_world world;
  simulated_links links;
  std::vector<node> nodes;
  place trainer = nowhere;
  scheduler_actor scheduler;
  supervisor_actor supervisor;
  std::vector<cluster_event> events;
  std::shared_ptr<fault_injector> faults; ///< of the trainer; may be null
  std::map<std::int64_t, std::uint32_t> begins;

  place where(std::uint32_t process) const {
    return process == trainer_process ? trainer : nodes.at(process).where;
  }

  static std::string address(std::uint32_t node) {
    return "node" + std::to_string(node) + ":1";
  }

  auto clock() {
    return [this] { return world.now_ns(); };
  }

  void start_node(std::uint32_t index) {
    auto& x = nodes.at(index);
    x.where = world.new_place();
    auto around = std::make_shared<node_environment>();
    around->facts.protocol = protocol_version;
    around->facts.software = "simulation";
    around->facts.incarnation = x.where;
    around->facts.name = address(index);
    for (std::uint32_t i = 0; i < options.devices; ++i)
      around->facts.devices.push_back("cpu:" + std::to_string(i));
    around->facts.registry_hash = hash(options.registry);
    around->facts.fingerprint = "the same";
    around->facts.link_port = 1;
    around->how.registry = options.registry;
    around->how.make_device = [index](std::uint32_t i, std::size_t) {
      return make_reference_device("device " + std::to_string(i) + " of "
                                   + address(index));
    };
    around->how.detached = false;
    around->how.now_ns = around->now_ns = clock();
    around->how.kill = [this, index] { kill_node(index); };
    around->how.wait = [this](std::chrono::nanoseconds time) {
      world.wait(time);
    };
    around->how.log = around->log = [this, index](const std::string& text) {
      world.note(address(index) + " says: " + text);
    };
    around->replace = [this, index] {
      kill_node(index);
      start_node(index);
    };
    around->office = links.make_office(x.where);
    x.actor = world.in(x.where,
                       [&] { return world.system().spawn(make_node, around); });
  }

  void kill_node(std::uint32_t index) {
    auto& x = nodes.at(index);
    x.actor = nullptr;
    world.kill(x.where);
    links.note_killed(x.where);
  }

  // A connector: reaches a node that is up and not cut off.
  void connect(std::uint32_t index, supervisor_actor to) {
    const auto& x = nodes.at(index);
    const bool is_cut = world.is_cut(trainer, x.where);
    const auto after = is_cut ? std::chrono::nanoseconds(not_to_connect)
                              : std::chrono::nanoseconds(to_connect);
    world.later(after, [this, index, to, is_cut] {
      const auto& now = nodes.at(index);
      if (is_cut || !now.actor || world.is_cut(trainer, now.where))
        caf::anon_send(to, connected{index, nullptr, "it cannot be reached"});
      else
        caf::anon_send(
          to, connected{
                index, caf::actor_cast<caf::strong_actor_ptr>(now.actor), {}});
    });
  }

  void start_trainer() {
    trainer = world.new_place();
    const auto how = std::make_shared<const plan>(options.how);
    pipeline_parts parts;
    parts.run = run;
    parts.seed = options.seed;
    parts.source = options.source;
    parts.rule = make_optimizer(options.rule);
    parts.how = how;
    parts.layout =
      std::make_shared<const parameter_layout>(*options.source, how->cut);
    parts.now_ns = clock();
    scheduler_options scheduling{run,       parts.source, parts.rule,
                                 parts.how, parts.layout, parts.now_ns};
    scheduling.supervised = true;
    supervisor_options supervising;
    supervising.what.run = run;
    supervising.what.seed = options.seed;
    supervising.what.model = to_json(options.source->spec());
    supervising.what.optimizer = options.rule;
    supervising.what.how = options.how;
    supervising.what.replicates = options.cluster.replicates;
    supervising.what.faults = options.cluster.faults;
    supervising.cluster = options.cluster;
    for (std::uint32_t i = 0; i < options.nodes; ++i)
      supervising.cluster.nodes.push_back(address(i));
    supervising.cluster.on_event = [this](const cluster_event& x) {
      world.note("event: " + x.text);
      events.push_back(x);
    };
    supervising.trainer = "the test";
    supervising.registry_hash = hash(options.registry);
    supervising.now_ns = clock();
    auto around = std::make_shared<supervisor_environment>();
    around->office = links.make_office(trainer);
    around->parts = parts;
    around->connect = [this](std::uint32_t index, const std::string&,
                             supervisor_actor to) {
      connect(index, std::move(to));
    };
    around->faults = faults;
    scheduler = world.in(trainer, [&] {
      return world.system().spawn(make_scheduler, scheduling);
    });
    around->scheduler = scheduler;
    supervisor = world.in(trainer, [&] {
      return world.system().spawn(make_supervisor, supervising, around);
    });
  }

  void make_faults() {
    if (options.cluster.faults.empty())
      return;
    auto rules = parse_faults(options.cluster.faults);
    check_faults(rules, options.how, options.nodes);
    fault_means means;
    means.now_ns = clock();
    means.log = [this](const std::string& text) { world.note(text); };
    faults = std::make_shared<fault_injector>(std::move(rules), options.how,
                                              trainer_process, means);
  }

  bool is_lost(place from, place to, const caf::type_erased_tuple& what) {
    return options.loss > 0 && (from == trainer || to == trainer)
        && !is_frame(what)
        && static_cast<double>(world.draw(1'000'000)) < 1e6 * options.loss;
  }

  template <class Answer, class To, class... Request>
  std::optional<Answer> ask(const To& whom, const Request&... what) {
    auto outcome = std::make_shared<std::optional<Answer>>();
    world.in(nowhere, [&] {
      return world.system().spawn([=](caf::event_based_actor* self) {
        self->request(whom, caf::infinite, what...).then([=](Answer& answer) {
          *outcome = std::move(answer);
        });
      });
    });
    const auto end_ns =
      world.now_ns() + std::chrono::nanoseconds(longest).count();
    while (!*outcome && world.now_ns() < end_ns && world.run_one()) {
      // Until it is there or cannot come.
    }
    return *outcome;
  }
};

simulated_cluster::simulated_cluster(cluster_simulation_options options)
  : impl_(std::make_unique<implementation>(std::move(options))) {
  auto& x = *impl_;
  x.nodes.resize(x.options.nodes);
  for (std::uint32_t i = 0; i < x.options.nodes; ++i)
    x.start_node(i);
  x.make_faults();
  x.start_trainer();
  x.world.lose_if(
    [&x](place from, place to, const caf::type_erased_tuple& what) {
      return x.is_lost(from, to, what);
    });
  x.world.guess_senders([&x](const caf::type_erased_tuple& what) {
    return comes_from_scheduler(what) ? std::optional<place>(x.trainer)
                                      : std::nullopt;
  });
}

simulated_cluster::~simulated_cluster() = default;

std::optional<step_outcome> simulated_cluster::train(const batch& data,
                                                     const train_request& how) {
  if (impl_->faults)
    impl_->faults->begin(how.step, ++impl_->begins[how.step]);
  return impl_->ask<step_outcome>(impl_->scheduler, how, local_batch{data});
}

std::optional<step_outcome> simulated_cluster::evaluate(const batch& data) {
  return impl_->ask<step_outcome>(impl_->scheduler, evaluate_request{},
                                  local_batch{data});
}

std::optional<values_outcome> simulated_cluster::values() {
  return impl_->ask<values_outcome>(impl_->scheduler, get_values{});
}

simulated_world& simulated_cluster::world() {
  return impl_->world;
}

void simulated_cluster::kill_node(std::uint32_t node) {
  if (is_up(node))
    impl_->kill_node(node);
}

void simulated_cluster::start_node(std::uint32_t node) {
  if (!is_up(node))
    impl_->start_node(node);
}

bool simulated_cluster::is_up(std::uint32_t node) const {
  return static_cast<bool>(impl_->nodes.at(node).actor);
}

void simulated_cluster::kill_stage(std::uint32_t stage) {
  for (const auto& x : impl_->nodes)
    if (const auto here = impl_->links.actors_at(x.where);
        stage < here.stages.size() && here.stages[stage])
      caf::anon_send_exit(here.stages[stage], caf::exit_reason::kill);
}

void simulated_cluster::kill_parameter(std::uint32_t cell) {
  for (const auto& x : impl_->nodes)
    if (const auto here = impl_->links.actors_at(x.where);
        cell < here.parameters.size() && here.parameters[cell])
      caf::anon_send_exit(here.parameters[cell], caf::exit_reason::kill);
}

void simulated_cluster::cut(std::uint32_t a, std::uint32_t b) {
  const auto x = impl_->where(a);
  const auto y = impl_->where(b);
  impl_->world.cut(x, y);
  impl_->links.note_cut(x, y);
}

void simulated_cluster::heal(std::uint32_t a, std::uint32_t b) {
  const auto x = impl_->where(a);
  const auto y = impl_->where(b);
  impl_->links.note_healed(x, y, impl_->world.heal(x, y));
}

void simulated_cluster::cut_off(std::uint32_t process) {
  for (std::uint32_t i = 0; i < impl_->nodes.size(); ++i)
    if (i != process)
      cut(i, process);
  if (process != trainer_process)
    cut(process, trainer_process);
}

void simulated_cluster::reconnect(std::uint32_t process) {
  for (std::uint32_t i = 0; i < impl_->nodes.size(); ++i)
    if (i != process)
      heal(i, process);
  if (process != trainer_process)
    heal(process, trainer_process);
}

cluster_view simulated_cluster::view() {
  return impl_->ask<cluster_view>(impl_->supervisor, get_view{})
    .value_or(cluster_view{});
}

const std::vector<cluster_event>& simulated_cluster::events() const {
  return impl_->events;
}

} // namespace actorpipe::test
