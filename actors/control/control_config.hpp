// SPDX-License-Identifier: Apache-2.0
/// The configuration of an actor system that reaches other processes.
#pragma once

#include "actors/control/openssl_handles.hpp"
#include "actors/control/tls_files.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/fwd.hpp>

#include <chrono>
#include <optional>

namespace actorpipe {

/// Knows our messages, loads CAF's middleman, and reads no file of CAF's own,
/// no command line and no environment.
///
/// With `tls`, both ends of every connection must show a certificate that the
/// authority signed, and speak TLS 1.3. The three files are read now, and never
/// again. Empty `tls` is plain text.
///
/// CAF says something to every peer at intervals of `heartbeat`, and drops one
/// that was silent for three of them; that closes its connection and tells who
/// monitors its actors.
class control_config : public caf::actor_system_config {
public:
  /// Throws std::invalid_argument for files that do not fit (see `check`) and a
  /// heartbeat below one millisecond.
  control_config(const std::optional<tls_files>& tls,
                 std::chrono::nanoseconds heartbeat);

  /// How both sides of a connection use TLS; null: plain text.
  SSL_CTX* tls() const noexcept { return tls_.get(); }

private:
  openssl::context tls_;
};

/// The configuration that `system` was made from. Throws std::logic_error where
/// it is no `control_config`.
const control_config& config_of(caf::actor_system& system);

/// What all processes of ours call themselves towards CAF, which refuses peers
/// that call themselves otherwise.
inline constexpr const char* application_name = "actorpipe";

} // namespace actorpipe
