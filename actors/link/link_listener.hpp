// SPDX-License-Identifier: Apache-2.0
/// Takes the links that other processes dial.
#pragma once

#include "actors/control/tls_files.hpp"
#include "actors/link/greeting.hpp"
#include "actors/link/link_stream.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace actorpipe {

struct link_listener_options {
  std::string host = "127.0.0.1"; ///< address or name to listen at
  std::uint16_t port = 0;         ///< 0: the system chooses one
  std::optional<tls_files> secure = std::nullopt; ///< nothing: plain text

  /// Whether a peer is expected: an empty text, or why it is not.
  std::function<std::string(const link_greeting&)> expects;

  /// Takes a link over, after `expects` has agreed and the peer was told.
  std::function<void(const link_greeting&, link_stream)> accepted;

  /// For each of: the handshake of TLS, the greeting, the answer.
  std::chrono::nanoseconds step_deadline = std::chrono::seconds{5};

  /// Connections that have not come so far; when one more comes, the oldest of
  /// them is closed.
  std::size_t most_strangers = 64;
};

/// Listens in a thread of its own, which makes the calls above. Who is silent,
/// slow or speaks something else holds nobody up. A peer hears why it is
/// refused only once its certificate is accepted (in plain text: once it has
/// sent a greeting).
class link_listener {
public:
  /// Listens from now on. Throws `link_error` naming address and reason.
  explicit link_listener(link_listener_options options);

  /// Closes what has not been handed over. Not to be called from the calls
  /// above.
  ~link_listener();
  link_listener(const link_listener&) = delete;
  link_listener& operator=(const link_listener&) = delete;

  /// Where it listens.
  std::uint16_t port() const noexcept;

private:
  class implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace actorpipe
