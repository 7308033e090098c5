// SPDX-License-Identifier: Apache-2.0
/// Lends CAF sockets of ours, with TLS.
///
/// CAF's own module would do, but for two things that whoever can reach the
/// port could use: a connection whose other end says nothing is kept for ever,
/// and the error of one connection ends the process, since it is thrown in the
/// network thread; running out of descriptors is such an error.
#pragma once

#include "actors/cluster/deadline_socket.hpp"

#include <caf/fwd.hpp>
#include <caf/io/fwd.hpp>

#include <cstddef>

namespace actorpipe {

/// So many connections may wait for the other end to show its certificate; one
/// more, and the oldest of them is closed. A good one waits milliseconds.
inline constexpr std::size_t most_strangers = 64;

/// The client's side of a TLS connection on `socket`, which is connected, with
/// the certificates of the system's configuration. Null when the handshake
/// fails at once. The system has CAF's middleman and its OpenSSL manager.
caf::io::scribe_ptr make_tls_scribe(caf::actor_system& system,
                                    descriptor socket);

/// Accepts TLS connections on `socket`, which listens.
caf::io::doorman_ptr make_tls_doorman(caf::actor_system& system,
                                      descriptor socket);

} // namespace actorpipe
