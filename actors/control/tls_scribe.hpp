// SPDX-License-Identifier: Apache-2.0
/// Lends CAF sockets of ours, with TLS.
///
/// CAF's own OpenSSL module (0.17.6) would do, but for what whoever can reach
/// the port could make of it: a connection whose other end says nothing is kept
/// for ever and keeps the network thread busy; and each connection reads the
/// files of certificates anew, which costs milliseconds and, when it fails, as
/// it does without free descriptors, ends the process.
#pragma once

#include "actors/control/deadline_socket.hpp"

#include <caf/fwd.hpp>
#include <caf/io/fwd.hpp>

#include <cstddef>

namespace actorpipe {

/// So many connections may wait for the other end to show its certificate; one
/// more, and the oldest of them is closed. A good one waits milliseconds.
inline constexpr std::size_t most_strangers = 64;

/// The client's side of a TLS connection on `socket`, which is connected and
/// does not block. `system` has a `control_config` with certificates.
caf::io::scribe_ptr make_tls_scribe(caf::actor_system& system,
                                    descriptor socket);

/// Accepts TLS connections on `socket`, which listens, for such a system.
caf::io::doorman_ptr make_tls_doorman(caf::actor_system& system,
                                      descriptor socket);

} // namespace actorpipe
