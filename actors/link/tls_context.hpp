// SPDX-License-Identifier: Apache-2.0
/// What the TLS of a link requires of both sides.
#pragma once

#include "actors/control/tls_files.hpp"

#include <cstdint>
#include <memory>
#include <optional>

struct ssl_ctx_st;
struct ssl_st;

namespace actorpipe {

/// TLS 1.3 alone, and a certificate of the given authority from either side.
/// Copies share their state. Safe to use from any thread once made.
class tls_context {
public:
  enum class role : std::uint8_t { dials, listens };

  /// Nothing: plain text. Throws `link_error` naming the file that cannot be
  /// used.
  explicit tls_context(const std::optional<tls_files>& files);

  /// The state of one connection, for whoever takes it over; null in plain
  /// text.
  ssl_st* make_state(role which) const;

private:
  std::shared_ptr<ssl_ctx_st> context_;
};

} // namespace actorpipe
