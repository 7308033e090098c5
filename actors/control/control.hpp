// SPDX-License-Identifier: Apache-2.0
/// The control connection: one actor of a process becomes reachable by an
/// address, and others connect to it.
///
/// Both use TLS where the system's `control_config` has certificates, and plain
/// text where it has none: no call can leave it out by mistake. A system with
/// another kind of configuration is a std::logic_error.
#pragma once

#include "actors/control/control_config.hpp"
#include "actors/control/endpoint.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace actorpipe {

/// Makes `whom`, an actor of `system`, reachable at `where` and nowhere else,
/// until the system ends. Being published keeps `whom` alive: it has to end
/// before its system can. Returns the port, which the kernel has chosen if
/// `where.port` is 0. A name that stands for several addresses means the first
/// that can be had. Throws std::runtime_error that names the endpoint and says
/// why it cannot be had.
std::uint16_t publish_control(caf::actor_system& system,
                              const caf::strong_actor_ptr& whom,
                              const endpoint& where);

/// What came of connecting.
struct control_peer {
  caf::strong_actor_ptr actor; ///< null: it failed
  std::string failure;         ///< names the endpoint and says why; or empty
};

/// Connects to the actor that is published at `where`. Blocks for `timeout` at
/// most, whoever listens there or nobody does; may be called from any thread,
/// several at once.
///
/// The handle's type is unknown: the caller casts it and asks which protocol it
/// speaks. (CAF would compare names of all messages and refuse an older peer
/// with a list of them.) A later call gives the same actor while the process
/// lives, and the actor of its successor once that listens; the older handle's
/// monitors are told when CAF notices. A connection to a process that had lost
/// this one without noticing may be deaf: nobody answers over it, and monitors
/// are told within three heartbeats; then connect again. Throws
/// std::invalid_argument for port 0.
control_peer connect_control(caf::actor_system& system, const endpoint& where,
                             std::chrono::nanoseconds timeout);

/// The last call before `system` ends, when its actors have been told to end
/// and no handle of one with a thread of its own is held: awaits the end of
/// them all. `at_first` is `system.detached_actors()` as it was before the
/// first was spawned.
///
/// CAF's actor for connections is told of these ends, and keeps who tells it
/// until it has read that. It does not close its mailbox: once it had ended,
/// the system would wait for ever for the threads of those in it.
void settle_control(caf::actor_system& system, std::size_t at_first);

} // namespace actorpipe
