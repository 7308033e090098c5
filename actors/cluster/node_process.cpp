// SPDX-License-Identifier: Apache-2.0
/// One process that lends its devices.
#include "actors/cluster/node_process.hpp"

#include "actors/cluster/link_office.hpp"
#include "actors/cluster/node.hpp"
#include "actors/control/control.hpp"
#include "actors/control/control_config.hpp"
#include "actors/control/endpoint.hpp"
#include "actors/process_facts.hpp"
#include "compute/model/numerics_fingerprint.hpp"
#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <stdexcept>
#include <unistd.h>
#include <utility>

namespace actorpipe {

namespace {

// The trainer says how often it speaks; this is CAF's own word to it.
constexpr std::chrono::seconds control_heartbeat{1};

void require_devices(const std::vector<std::string>& names) {
  if (names.empty())
    throw std::invalid_argument("a node needs at least one device: cpu:0");
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] != "cpu:" + std::to_string(i))
      throw std::invalid_argument("the device '" + names[i]
                                  + "' is not allowed here: they are cpu:0, "
                                    "cpu:1 and so on, in this order");
}

} // namespace

namespace {

// The node itself notices a trainer that is silent, after the time that the
// trainer has asked for, which may be longer than CAF would wait.
struct node_config : control_config {
  explicit node_config(const std::optional<tls_files>& tls)
    : control_config(tls, control_heartbeat) {
    set("middleman.connection-timeout", caf::timespan(std::chrono::hours(24)));
  }
};

} // namespace

struct node_process::implementation {
  explicit implementation(node_options x)
    : options(std::move(x)), config(options.tls), system(config) {
    require_devices(options.devices);
    auto where = parse_endpoint(options.listen);
    auto around = std::make_shared<node_environment>();
    around->how.registry = options.registry;
    around->how.make_device = [names = options.devices](std::uint32_t index,
                                                        std::size_t threads) {
      return make_cpu_device(names.at(index), threads);
    };
    around->how.now_ns = around->now_ns = steady_now_ns;
    around->how.kill = [] { std::raise(SIGKILL); };
    around->log = around->how.log = options.log;
    around->replace = [this] { end(ending::replaced); };
    around->office = make_link_office(
      system, {where.host, options.link_port, options.tls, nullptr});
    around->facts = facts(around->office->port());
    node = system.spawn(make_node, around);
    where.port = publish_control(
      system, caf::actor_cast<caf::strong_actor_ptr>(node), where);
    address = to_string(where);
  }

  ~implementation() {
    {
      caf::scoped_actor self{system};
      self->send_exit(node, caf::exit_reason::user_shutdown);
      self->wait_for(node);
    }
    node = nullptr;
    settle_control(system, threads_at_first);
  }

  node_facts facts(std::uint16_t link_port) const {
    node_facts result;
    result.protocol = protocol_version;
    result.software = "actorpipe " ACTORPIPE_VERSION;
    result.incarnation = draw_id();
    result.name = host_name();
    result.devices = options.devices;
    result.registry_hash = hash(options.registry);
    result.fingerprint =
      numerics_fingerprint(*make_cpu_device("fingerprint", 1));
    result.link_port = link_port;
    return result;
  }

  void end(ending how) {
    const std::lock_guard lock(mutex);
    if (!ended)
      ended = how;
    changed.notify_all();
  }

  node_options options;
  node_config config;
  caf::actor_system system;
  const std::size_t threads_at_first = system.detached_actors();
  node_actor node;
  std::string address;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<ending> ended;
};

node_process::node_process(node_options options)
  : impl_(std::make_unique<implementation>(std::move(options))) {}

node_process::~node_process() = default;

const std::string& node_process::address() const noexcept {
  return impl_->address;
}

void node_process::stop() {
  impl_->end(ending::stopped);
}

node_process::ending node_process::wait() {
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait(lock, [this] { return impl_->ended.has_value(); });
  return *impl_->ended;
}

} // namespace actorpipe
