// SPDX-License-Identifier: Apache-2.0
/// The trainer's side of a run over several nodes.
#include "actors/cluster/cluster.hpp"

#include "actors/cluster/link_office.hpp"
#include "actors/cluster/supervisor.hpp"
#include "actors/control/control.hpp"
#include "actors/control/control_config.hpp"
#include "actors/control/endpoint.hpp"
#include "actors/faults/fault_injector.hpp"
#include "actors/pipeline_parts.hpp"
#include "actors/process_facts.hpp"
#include "actors/scheduler.hpp"
#include "actors/shard_values.hpp"
#include "compute/layers/model_spec_json.hpp"
#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>

namespace actorpipe {

namespace {

void require_fitting(const cluster_options& options, const plan& how) {
  if (options.nodes.empty())
    throw std::invalid_argument("a cluster needs at least one node");
  std::set<std::string> seen;
  for (const auto& x : options.nodes)
    if (!seen.insert(to_string(parse_endpoint(x))).second)
      throw std::invalid_argument("the node " + x + " is given twice");
  if (!options.placement.empty() && options.placement.size() != how.devices())
    throw std::invalid_argument("the placement names a node for "
                                + std::to_string(options.placement.size())
                                + " stages, and there are "
                                + std::to_string(how.devices()));
  for (const auto x : options.placement)
    if (x >= options.nodes.size())
      throw std::invalid_argument(
        "the placement names node " + std::to_string(x) + ", and there are "
        + std::to_string(options.nodes.size()) + ", counted from 0");
}

job make_job(const cluster_options& options, const pipeline_options& line,
             const pipeline_parts& parts) {
  job result;
  result.run = parts.run;
  result.seed = parts.seed;
  result.model = to_json(parts.source->spec());
  result.optimizer = line.optimizer;
  result.how = *parts.how;
  result.threads_per_stage = static_cast<std::uint32_t>(line.threads_per_stage);
  result.replicates = options.replicates;
  result.faults = options.faults;
  return result;
}

std::string own_name() {
  return host_name() + ", process " + std::to_string(getpid());
}

// Long enough for a machine that is busy, short enough to try again soon.
std::chrono::nanoseconds connect_timeout(std::chrono::nanoseconds heartbeat) {
  return std::max<std::chrono::nanoseconds>(3 * heartbeat,
                                            std::chrono::seconds(2));
}

} // namespace

struct cluster::implementation {
  implementation(cluster_options x, const pipeline_options& line,
                 const layer_registry& registry)
    : options(std::move(x)), parts(make_parts(line)),
      config(options.tls, options.heartbeat), system(config) {
    require_fitting(options, *parts.how);
    scheduler_options scheduling{parts.run, parts.source, parts.rule,
                                 parts.how, parts.layout, parts.now_ns};
    scheduling.supervised = true;
    scheduler = system.spawn<caf::detached>(make_scheduler, scheduling);
    supervisor_options supervising;
    supervising.what = make_job(options, line, parts);
    supervising.cluster = options;
    supervising.cluster.on_event = [this](const cluster_event& event) {
      note(event);
    };
    supervising.trainer = own_name();
    supervising.registry_hash = hash(registry);
    supervising.now_ns = parts.now_ns;
    supervising.version_now = [this] { return version.load(); };
    supervising.request_now = [this] { return request.load(); };
    auto around = std::make_shared<supervisor_environment>();
    around->scheduler = scheduler;
    around->office =
      make_link_office(system, {std::nullopt, 0, options.tls, nullptr});
    if (!options.faults.empty())
      around->faults = faults = make_faults();
    around->parts = parts;
    around->connect = [this](std::uint32_t node, const std::string& address,
                             supervisor_actor to) {
      system.spawn<caf::detached>(
        [this, node, address, to](caf::event_based_actor* self) {
          const auto peer = connect_control(system, parse_endpoint(address),
                                            connect_timeout(options.heartbeat));
          self->send(to, connected{node, peer.actor, peer.failure});
        });
    };
    supervisor = system.spawn(make_supervisor, supervising, around);
  }

  ~implementation() {
    {
      caf::scoped_actor self{system};
      self->send_exit(supervisor, caf::exit_reason::user_shutdown);
      self->wait_for(supervisor);
      self->send_exit(scheduler, caf::exit_reason::user_shutdown);
      self->wait_for(scheduler);
    }
    supervisor = nullptr;
    scheduler = nullptr;
    settle_control(system, threads_at_first);
  }

  void note(const cluster_event& event) {
    if (!was_formed
        && (event.what == cluster_event::kind::formed
            || event.what == cluster_event::kind::ended)) {
      was_formed = true;
      formed.set_value(event.what == cluster_event::kind::ended ? event.text
                                                                : "");
    }
    if (options.on_event)
      options.on_event(event);
  }

  std::shared_ptr<fault_injector> make_faults() {
    auto rules = parse_faults(options.faults);
    check_faults(rules, *parts.how,
                 static_cast<std::uint32_t>(options.nodes.size()));
    fault_means means;
    means.log = [this](const std::string& text) {
      if (options.on_event)
        options.on_event({cluster_event::kind::note, text});
    };
    return std::make_shared<fault_injector>(std::move(rules), *parts.how,
                                            trainer_process, means);
  }

  // Asks the scheduler, and shows meanwhile that it is asked.
  template <class F>
  auto ask(F what) {
    struct shown {
      std::atomic<std::uint64_t>& now;
      ~shown() { now = 0; }
    } const while_asked{request};
    request = ++requests;
    scheduler_client client(system, scheduler);
    return what(client);
  }

  cluster_options options;
  pipeline_parts parts;
  control_config config;
  caf::actor_system system;
  const std::size_t threads_at_first = system.detached_actors();
  scheduler_actor scheduler;
  supervisor_actor supervisor;
  std::atomic<std::int64_t> version = 0;
  std::atomic<std::uint64_t> requests = 0;
  std::atomic<std::uint64_t> request = 0; ///< at hand; 0: none
  std::promise<std::string> formed;       ///< empty, or why there is no way
  bool was_formed = false;                ///< used by the supervisor's thread
  std::shared_ptr<fault_injector> faults; ///< on purpose; null: none
  std::map<std::int64_t, std::uint32_t> begins; ///< of each step, with faults
};

cluster::cluster(cluster_options options, pipeline_options line,
                 const layer_registry& registry)
  : impl_(
    std::make_unique<implementation>(std::move(options), line, registry)) {
  const auto failure = impl_->formed.get_future().get();
  if (!failure.empty())
    throw cluster_error(failure);
}

cluster::~cluster() = default;

step_report cluster::train(const batch& data, const train_request& how) {
  if (impl_->faults)
    impl_->faults->begin(how.step, ++impl_->begins[how.step]);
  auto report = impl_->ask([&](auto& to) { return to.train(data, how); });
  impl_->version = report.updates;
  return report;
}

step_report cluster::evaluate(const batch& data, const evaluate_request& how) {
  return impl_->ask([&](auto& to) { return to.evaluate(data, how); });
}

model_values cluster::values() {
  return impl_->ask([](auto& to) { return to.values(); });
}

void cluster::set_values(const model_values& next) {
  if (!are_of(*impl_->parts.source, *impl_->parts.rule, next))
    throw std::invalid_argument(
      "these values are of another model or optimiser");
  impl_->ask([&](auto& to) { to.set_values(next); });
  impl_->version = next.updates;
}

cluster_view cluster::view() {
  cluster_view result;
  caf::scoped_actor self{impl_->system};
  self->request(impl_->supervisor, caf::infinite, get_view{})
    .receive([&](cluster_view& answer) { result = std::move(answer); },
             [](const caf::error& why) {
               throw cluster_error("the supervisor does not answer: "
                                   + to_string(why));
             });
  return result;
}

const plan& cluster::how() const noexcept {
  return *impl_->parts.how;
}

node_status query_status(const std::string& address,
                         const std::optional<tls_files>& tls,
                         std::chrono::nanoseconds timeout) {
  control_config config(tls, std::chrono::seconds(1));
  caf::actor_system system(config);
  const auto peer = connect_control(system, parse_endpoint(address), timeout);
  if (!peer.actor)
    throw cluster_error(peer.failure);
  node_status result;
  caf::scoped_actor self{system};
  self->request(caf::actor_cast<node_actor>(peer.actor), timeout, get_status{})
    .receive([&](node_status& answer) { result = std::move(answer); },
             [&](const caf::error& why) {
               throw cluster_error(
                 address + " does not answer as a node: " + to_string(why));
             });
  return result;
}

} // namespace actorpipe
