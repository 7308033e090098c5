// SPDX-License-Identifier: Apache-2.0
/// A connected TCP socket: gathering writes, scattering reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace actorpipe {

/// Whether a write waits for room, or keeps a copy of what there is no room
/// for.
enum class io_mode : std::uint8_t { blocking, at_once };

/// Owns the descriptor. Used by one thread at a time, except `shut_down`.
/// Functions throw `link_error`.
class tcp_socket {
public:
  using part = std::span<const std::byte>;

  explicit tcp_socket(int descriptor) noexcept : descriptor_(descriptor) {}
  ~tcp_socket();
  tcp_socket(const tcp_socket&) = delete;
  tcp_socket& operator=(const tcp_socket&) = delete;

  int descriptor() const noexcept { return descriptor_; }

  /// No waiting for more to send, and a peer that has vanished is noticed.
  void set_options();
  void set_blocking(bool blocks);

  void shut_down() noexcept;
  void shut_down_writing() noexcept;

  /// Sends the parts in order. False when some of them had to be kept. Requires
  /// that nothing is kept.
  bool send(std::span<const part> parts, io_mode mode);

  /// Keeps bytes for `send_kept`, which returns false when some are left.
  void keep(part bytes);
  std::size_t kept_bytes() const noexcept { return kept_.size() - sent_; }
  bool send_kept(io_mode mode);

  /// Fills `first`, then `more`, with what is there, waiting for at least a
  /// byte where the socket blocks; nothing where it does not and nothing is
  /// there; 0 when the peer has closed.
  std::optional<std::size_t> receive(std::span<std::byte> first,
                                     std::span<std::byte> more);

  /// Waits until `receive` has an answer.
  void await_data() const;

  /// How the connection has ended; empty when there is nothing to read.
  /// Whatever there is to read counts as the end. Does not block.
  std::string find_end() const;

private:
  int descriptor_;
  std::vector<std::byte> kept_;
  std::size_t sent_ = 0; ///< of `kept_`
};

} // namespace actorpipe
