// SPDX-License-Identifier: Apache-2.0
/// What CAF's middleman does with an address, within a deadline.
#include "actors/control/control.hpp"

#include "actors/control/control_probe.hpp"
#include "actors/control/deadline_socket.hpp"
#include "actors/control/tls_scribe.hpp"

#include <caf/actor_cast.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/doorman.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/scribe.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>

namespace actorpipe {

namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;
using clock = std::chrono::steady_clock;

/// For finding out why a handshake failed that did not last long itself.
constexpr auto probe_time = seconds(3);

/// The actor of CAF's that owns the connections.
caf::actor connection_keeper(caf::actor_system& system) {
  return system.middleman().named_broker<caf::io::basp_broker>(
    caf::atom("BASP"));
}

caf::io::doorman_ptr make_doorman(caf::actor_system& system,
                                  descriptor socket) {
  if (config_of(system).tls() != nullptr)
    return make_tls_doorman(system, std::move(socket));
  return system.middleman().backend().new_doorman(socket.release());
}

/// Gives CAF a connected socket, as its own actors do. They would also connect,
/// but without a deadline, one after the other, and remember a peer that did
/// not answer, so that whoever asks next waits with them.
caf::io::scribe_ptr make_scribe(caf::actor_system& system, descriptor socket) {
  if (config_of(system).tls() != nullptr)
    return make_tls_scribe(system, std::move(socket));
  return system.middleman().backend().new_scribe(socket.release());
}

/// What came of the handshake.
struct handshake {
  caf::strong_actor_ptr actor;
  bool is_late = false;
};

handshake shake_hands(caf::actor_system& system, descriptor socket,
                      std::uint16_t port, deadline until) {
  handshake result;
  const descriptor same(::fcntl(socket.get(), F_DUPFD_CLOEXEC, 0));
  auto scribe = make_scribe(system, std::move(socket));
  if (scribe == nullptr)
    return result;
  caf::scoped_actor self(system);
  self
    ->request(connection_keeper(system),
              std::max<nanoseconds>(until - clock::now(), nanoseconds(1)),
              caf::connect_atom::value, std::move(scribe), port)
    .receive([&](const caf::node_id&, const caf::strong_actor_ptr& found,
                 const std::set<std::string>&) { result.actor = found; },
             [&](const caf::error& e) {
               result.is_late = e == caf::sec::request_timeout;
               // CAF would wait on; this ends its wait.
               ::shutdown(same.get(), SHUT_RDWR);
             });
  return result;
}

/// Why it failed, or nothing. A handshake may fail although nobody is at fault,
/// as when CAF looks for silent peers at that moment; such a one is repeated.
std::string connect(caf::actor_system& system, const endpoint& where,
                    deadline until, caf::strong_actor_ptr& result) {
  constexpr int most_tries = 5;
  for (int i = 0; i < most_tries; ++i) {
    descriptor socket;
    try {
      socket = connect_socket(where, until);
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    const auto got = shake_hands(system, std::move(socket), where.port, until);
    result = got.actor;
    if (result != nullptr)
      return {};
    if (got.is_late)
      return describe_silence(system);
    const auto obstacle = find_obstacle(
      system, where, std::min<deadline>(until, clock::now() + probe_time));
    if (!obstacle.empty())
      return obstacle;
  }
  return "ends every handshake; it may be stopping";
}

/// None, and why, where there is none.
std::vector<socket_address> addresses_of(const endpoint& where,
                                         std::string& why) {
  try {
    return resolve(where, clock::now() + seconds(10));
  } catch (const std::runtime_error& e) {
    why = e.what();
    return {};
  }
}

} // namespace

std::uint16_t publish_control(caf::actor_system& system,
                              const caf::strong_actor_ptr& whom,
                              const endpoint& where) {
  std::string why;
  for (const auto& address : addresses_of(where, why)) {
    try {
      std::uint16_t port = 0;
      auto socket = listen_socket(address, port);
      caf::anon_send(connection_keeper(system), caf::publish_atom::value,
                     make_doorman(system, std::move(socket)), port, whom,
                     std::set<std::string>{});
      return port;
    } catch (const std::runtime_error& e) {
      why = why.empty() ? e.what() : why;
    }
  }
  throw std::runtime_error(
    fmt::format("cannot listen on {}: {}", to_string(where), why));
}

control_peer connect_control(caf::actor_system& system, const endpoint& where,
                             nanoseconds timeout) {
  control_peer result;
  if (where.port == 0)
    throw std::invalid_argument(
      fmt::format("{}: port 0 stands for any port, and can only be listened on",
                  to_string(where)));
  const auto why = connect(system, where, clock::now() + timeout, result.actor);
  if (!why.empty())
    result.failure = fmt::format("{}: {}", to_string(where), why);
  return result;
}

void settle_control(caf::actor_system& system, std::size_t at_first) {
  system.await_all_actors_done();
  caf::scoped_actor self(system, true);
  while (system.detached_actors() > at_first) {
    // Whatever the answer is: what came before has been read.
    self
      ->request(connection_keeper(system), caf::infinite, caf::get_atom::value,
                system.node())
      .receive([](const caf::node_id&, const std::string&, std::uint16_t) {},
               [](const caf::error&) {});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

} // namespace actorpipe
