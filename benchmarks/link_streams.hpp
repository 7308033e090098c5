// SPDX-License-Identifier: Apache-2.0
/// Connections of this process with itself: links, bare sockets, bare TLS.
#pragma once

#include "actors/control/tls_files.hpp"
#include "actors/link/link_stream.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

struct ssl_st;

namespace actorpipe::benchmarks {

/// Both ends of a connection that is opened as links are.
struct stream_ends {
  link_stream sends;
  link_stream receives;
};

stream_ends open_link(const std::optional<tls_files>& secure);

/// One end of a loopback connection, used as a plain program would.
class bare_socket {
public:
  explicit bare_socket(int descriptor) : descriptor_(descriptor) {}
  bare_socket(bare_socket&& other) noexcept;
  bare_socket& operator=(bare_socket&&) = delete;
  ~bare_socket();

  int descriptor() const noexcept { return descriptor_; }

  /// Both end the program when the connection breaks.
  void write(std::span<const std::byte> bytes) const;
  void read(std::span<std::byte> into) const;

private:
  int descriptor_;
};

struct bare_ends {
  bare_socket a;
  bare_socket b;
};

bare_ends open_bare();

/// OpenSSL's own reading and writing over a bare connection.
class bare_tls {
public:
  explicit bare_tls(const tls_files& files);
  ~bare_tls();
  bare_tls(const bare_tls&) = delete;
  bare_tls& operator=(const bare_tls&) = delete;

  void write(std::span<const std::byte> bytes); ///< at one end
  void read(std::span<std::byte> into);         ///< at the other

private:
  bare_ends ends_;
  ssl_st* writes_;
  ssl_st* reads_;
};

} // namespace actorpipe::benchmarks
