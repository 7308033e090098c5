// SPDX-License-Identifier: Apache-2.0
/// Lends CAF a socket of ours, with TLS.
#pragma once

#include "actors/cluster/deadline_socket.hpp"

#include <caf/fwd.hpp>
#include <caf/io/fwd.hpp>

namespace actorpipe {

/// The client's side of a TLS connection on `socket`, which is connected, with
/// the certificates of the system's configuration. Null when the handshake
/// fails at once. The system has CAF's middleman and its OpenSSL manager.
caf::io::scribe_ptr make_tls_scribe(caf::actor_system& system,
                                    descriptor socket);

} // namespace actorpipe
