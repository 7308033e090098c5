// SPDX-License-Identifier: Apache-2.0
/// The system's calls on a connected socket.
#include "actors/link/socket_io.hpp"

#include "actors/link/link_error.hpp"

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace actorpipe {

namespace {

// What was sent is not acknowledged for so long, or nothing was said for so
// long and no probe is answered: the peer has vanished.
constexpr int vanished_ms = 20'000;
constexpr int probe_after_s = 5;
constexpr int probe_interval_s = 5;
constexpr int probes = 3;

constexpr std::size_t most_parts = 8;

[[noreturn]] void fail(const char* what) {
  throw link_error(std::string(what) + ": "
                   + std::generic_category().message(errno));
}

void set_option(int descriptor, int level, int name, int value) {
  if (::setsockopt(descriptor, level, name, &value, sizeof(value)) != 0)
    fail("setting an option of the socket");
}

iovec writable(std::span<const std::byte> bytes) {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

void wait_for(int descriptor, short events) {
  pollfd one{descriptor, events, 0};
  while (::poll(&one, 1, -1) < 0)
    if (errno != EINTR)
      fail("waiting for the socket");
}

// Bytes taken; nothing when the socket has no room and `mode` does not wait for
// it.
std::optional<std::size_t> send_some(int descriptor, std::span<iovec> parts,
                                     io_mode mode) {
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const int flags =
    MSG_NOSIGNAL | (mode == io_mode::at_once ? MSG_DONTWAIT : 0);
  for (;;) {
    const auto sent = ::sendmsg(descriptor, &message, flags);
    if (sent >= 0)
      return static_cast<std::size_t>(sent);
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (mode == io_mode::at_once)
        return std::nullopt;
      wait_for(descriptor, POLLOUT); // the socket itself may not block
    } else if (errno != EINTR) {
      fail("sending");
    }
  }
}

// Removes the first `count` bytes.
std::span<iovec> advance(std::span<iovec> parts, std::size_t count) {
  while (!parts.empty() && count >= parts.front().iov_len) {
    count -= parts.front().iov_len;
    parts = parts.subspan(1);
  }
  if (!parts.empty()) {
    parts.front().iov_base =
      static_cast<std::byte*>(parts.front().iov_base) + count;
    parts.front().iov_len -= count;
  }
  return parts;
}

} // namespace

tcp_socket::~tcp_socket() {
  ::close(descriptor_);
}

void tcp_socket::set_options() {
  set_option(descriptor_, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(descriptor_, IPPROTO_TCP, TCP_USER_TIMEOUT, vanished_ms);
  set_option(descriptor_, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(descriptor_, IPPROTO_TCP, TCP_KEEPIDLE, probe_after_s);
  set_option(descriptor_, IPPROTO_TCP, TCP_KEEPINTVL, probe_interval_s);
  set_option(descriptor_, IPPROTO_TCP, TCP_KEEPCNT, probes);
}

void tcp_socket::set_blocking(bool blocks) {
  const auto flags = ::fcntl(descriptor_, F_GETFL);
  const auto wanted = blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;
  if (flags < 0 || ::fcntl(descriptor_, F_SETFL, wanted) != 0)
    fail("setting whether the socket blocks");
}

void tcp_socket::shut_down() noexcept {
  ::shutdown(descriptor_, SHUT_RDWR);
}

void tcp_socket::shut_down_writing() noexcept {
  ::shutdown(descriptor_, SHUT_WR);
}

bool tcp_socket::send(std::span<const part> parts, io_mode mode) {
  std::array<iovec, most_parts> all;
  std::size_t count = 0;
  for (const auto x : parts)
    if (!x.empty())
      all[count++] = writable(x);
  auto rest = std::span(all).first(count);
  while (!rest.empty()) {
    const auto sent = send_some(descriptor_, rest, mode);
    if (!sent)
      break;
    rest = advance(rest, *sent);
  }
  for (const auto& x : rest)
    keep({static_cast<const std::byte*>(x.iov_base), x.iov_len});
  return rest.empty();
}

void tcp_socket::keep(part bytes) {
  kept_.insert(kept_.end(), bytes.begin(), bytes.end());
}

bool tcp_socket::send_kept(io_mode mode) {
  while (sent_ < kept_.size()) {
    auto rest = writable(std::span(kept_).subspan(sent_));
    const auto sent = send_some(descriptor_, {&rest, 1}, mode);
    if (!sent)
      return false;
    sent_ += *sent;
  }
  kept_.clear();
  sent_ = 0;
  return true;
}

void tcp_socket::await_data() const {
  wait_for(descriptor_, POLLIN);
}

std::optional<std::size_t> tcp_socket::receive(std::span<std::byte> first,
                                               std::span<std::byte> more) {
  std::array<iovec, 2> parts{iovec{first.data(), first.size()},
                             iovec{more.data(), more.size()}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = more.empty() ? 1 : 2;
  for (;;) {
    const auto got = ::recvmsg(descriptor_, &message, 0);
    if (got >= 0)
      return static_cast<std::size_t>(got);
    if (errno == EAGAIN || errno == EWOULDBLOCK)
      return std::nullopt;
    if (errno != EINTR)
      fail("receiving");
  }
}

std::string tcp_socket::find_end() const {
  std::byte one{};
  const auto got = ::recv(descriptor_, &one, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got >= 0)
    return peer_closed;
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
    return {};
  return "the connection broke: " + std::generic_category().message(errno);
}

} // namespace actorpipe
