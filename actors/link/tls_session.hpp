// SPDX-License-Identifier: Apache-2.0
/// TLS over a socket, in large writes and reads.
#pragma once

#include "actors/link/socket_io.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct bio_st;
struct ssl_st;

namespace actorpipe {

/// OpenSSL's state over a `tcp_socket`. The library would make one call of the
/// system per record of 16 KiB; here the records of a write are gathered in
/// what the socket keeps and sent together, and reads run ahead. Used by one
/// thread at a time. Functions throw `link_error`.
class tls_session {
public:
  using part = std::span<const std::byte>;

  /// Takes `state` over, whose role is set. `socket` outlives this.
  tls_session(ssl_st* state, tcp_socket& socket);
  ~tls_session();
  tls_session(const tls_session&) = delete;
  tls_session& operator=(const tls_session&) = delete;

  /// True when it is done, false when the peer has to say something first. What
  /// is to be sent is kept by the socket.
  bool shake_hands();

  /// Encrypts all of it. Sends some when much has gathered and `mode` blocks;
  /// the rest is kept by the socket.
  void write(std::span<const part> parts, io_mode mode);
  void write(part bytes, io_mode mode) { write({&bytes, 1}, mode); }

  /// As `tcp_socket::receive`.
  std::optional<std::size_t> read(std::span<std::byte> into);

private:
  struct release {
    void operator()(ssl_st* x) const noexcept;
  };

  static int take_records(bio_st* self, const char* bytes, int size);
  static int give_records(bio_st* self, char* into, int size);
  static long control(bio_st* self, int command, long number, void* pointer);
  static const void* methods();

  void encrypt(part bytes);
  [[noreturn]] void fail(const char* what, int code);

  tcp_socket& socket_;
  std::unique_ptr<ssl_st, release> state_;
  std::vector<std::byte> gathered_; ///< small parts of one write
  std::uint64_t since_new_keys_bytes_ = 0;
  io_mode mode_ = io_mode::at_once;
  bool ended_ = false; ///< the peer has closed
  std::string socket_fault_;
};

} // namespace actorpipe
