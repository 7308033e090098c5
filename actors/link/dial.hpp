// SPDX-License-Identifier: Apache-2.0
/// Opens a link to a process that listens.
#pragma once

#include "actors/control/tls_files.hpp"
#include "actors/link/greeting.hpp"
#include "actors/link/link_stream.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace actorpipe {

struct link_dial_options {
  std::string host;
  std::uint16_t port = 0;
  std::optional<tls_files> secure = std::nullopt; ///< nothing: plain text

  /// For each of: finding the address, connecting, the handshake of TLS, the
  /// greeting, the answer.
  std::chrono::nanoseconds step_deadline = std::chrono::seconds{5};
};

/// Connects and greets, once; blocks until that has succeeded or failed. Throws
/// `link_error` naming address and reason, such as the peer's refusal.
link_stream dial(const link_dial_options& options,
                 const link_greeting& greeting);

} // namespace actorpipe
