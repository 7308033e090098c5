// SPDX-License-Identifier: Apache-2.0
/// A connection of a link: bytes one way or the other, in plain text or TLS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

struct ssl_st;

namespace actorpipe {

/// Owns a connected TCP socket and, for TLS, its state. Moving leaves an object
/// that can only be destroyed or assigned to.
///
/// Used by one thread at a time, except `shut_down`. While the link is opened
/// the socket does not block and the `try_` functions are used; `set_blocking`
/// ends that. All functions throw `link_error` when the connection has broken;
/// nothing but destruction may follow then.
class link_stream {
public:
  using part = std::span<const std::byte>;

  /// Takes `descriptor` over, and `tls`, which is null for plain text. Sets the
  /// socket's options. The socket does not block from now on.
  link_stream(int descriptor, ssl_st* tls);
  ~link_stream();
  link_stream(link_stream&&) noexcept;
  link_stream& operator=(link_stream&&) noexcept;

  int descriptor() const noexcept;

  /// Wakes whoever reads or writes here, on both sides, for ever. From any
  /// thread, as long as the object lives.
  void shut_down() noexcept;

  // -- while the link is opened -----------------------------------------------

  /// Where a `try_` function has got: to its end, or to where the socket has to
  /// become readable or writable first.
  enum class progress : std::uint8_t { done, wants_read, wants_write };

  /// The handshake of TLS; done at once in plain text.
  progress try_secure();

  /// Reads into `into` and shortens it, until it is empty. The end of the
  /// connection is an error.
  progress try_read(std::span<std::byte>& into);

  /// Takes all of `bytes` over, to be sent by `try_flush`.
  void put(part bytes);
  progress try_flush();

  /// Sends no more, and reads and forgets until the peer has closed too, so
  /// that what it was sent last is not lost.
  progress try_close();

  // -- afterwards -------------------------------------------------------------

  /// Reads and writes block from now on.
  void set_blocking();

  /// Writes all parts, in order, without copying what is large.
  void write(std::span<const part> parts);

  /// Writes all parts without blocking and returns true, or keeps a copy of
  /// what the socket did not take. Then `flush` has to come before any other
  /// write.
  bool write_now(std::span<const part> parts);
  void flush();

  /// Blocks until something is there. Fills `first`, then `more`, and returns
  /// the number of bytes; 0 when the peer has closed.
  std::size_t read(std::span<std::byte> first, std::span<std::byte> more = {});

  /// How the connection has ended, for a side that only writes; empty when it
  /// has not. Does not block; may run beside a write.
  std::string find_end() const;

private:
  struct implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace actorpipe
