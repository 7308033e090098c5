// SPDX-License-Identifier: Apache-2.0
/// TCP connections that are there by a deadline or not at all.
#pragma once

#include "actors/control/endpoint.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <sys/socket.h>

namespace actorpipe {

using deadline = std::chrono::steady_clock::time_point;

/// Owns a file descriptor.
class descriptor {
public:
  descriptor() = default;

  explicit descriptor(int value) noexcept : value_(value) {
    // nop
  }

  descriptor(descriptor&& other) noexcept
    : value_(std::exchange(other.value_, -1)) {
    // nop
  }

  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }

  ~descriptor();

  int get() const noexcept { return value_; }

  /// Gives the ownership away.
  int release() noexcept { return std::exchange(value_, -1); }

private:
  int value_ = -1;
};

/// One address that a host's name stands for.
struct socket_address {
  sockaddr_storage value{};
  socklen_t size = 0;

  const sockaddr* get() const noexcept {
    return reinterpret_cast<const sockaddr*>(&value);
  }

  /// Digits, without a port, such as "127.0.0.1".
  std::string host() const;
};

/// What `where.host` stands for, at least one. Throws std::runtime_error that
/// says why there is none; a name that nobody answers for until `until` is
/// given up, and the thread that asks ends when the resolver does.
std::vector<socket_address> resolve(const endpoint& where, deadline until);

/// A connected, non-blocking socket. Throws std::runtime_error that says why
/// there is none, without naming the endpoint.
descriptor connect_socket(const endpoint& where, deadline until);

/// A socket that listens on `address`, whose port is in it; writes the port
/// that it has to `port`. Throws std::runtime_error that says why there is
/// none.
descriptor listen_socket(const socket_address& address, std::uint16_t& port);

/// Blocks until `socket` is ready for `events` of poll(2); false: too late.
bool wait_ready(int socket, short events, deadline until);

} // namespace actorpipe
