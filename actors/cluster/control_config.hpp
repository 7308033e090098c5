// SPDX-License-Identifier: Apache-2.0
/// The configuration of an actor system that reaches other processes.
#pragma once

#include "actors/cluster/deadline_socket.hpp"
#include "actors/cluster/tls_files.hpp"

#include <caf/actor_system_config.hpp>

#include <array>
#include <chrono>
#include <optional>

namespace actorpipe {

/// Knows our messages, loads CAF's middleman and its OpenSSL manager, and reads
/// no file of CAF's own, no command line and no environment.
///
/// With `tls`, both ends of every connection must show a certificate that the
/// authority signed. The three files are read now, and never again: CAF opens
/// its files at every connection and throws in its network thread, which ends
/// the process, when one has gone. Empty `tls` is plain text.
///
/// CAF says something to every peer at intervals of `heartbeat`, and drops one
/// that was silent for three of them; that closes its connection and tells who
/// monitors its actors.
class control_config : public caf::actor_system_config {
public:
  /// Throws std::invalid_argument for files that do not fit (see `check`) and a
  /// heartbeat below one millisecond, std::runtime_error without memory for the
  /// files.
  control_config(const std::optional<tls_files>& tls,
                 std::chrono::nanoseconds heartbeat);

private:
  std::array<descriptor, 3> copies_; ///< of the files, in memory
};

/// What all processes of ours call themselves towards CAF, which refuses peers
/// that call themselves otherwise.
inline constexpr const char* application_name = "actorpipe";

/// Whether connections of a system so configured are encrypted and checked.
bool has_tls(const caf::actor_system_config& config);

} // namespace actorpipe
