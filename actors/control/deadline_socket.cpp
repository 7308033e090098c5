// SPDX-License-Identifier: Apache-2.0
/// Names, connections and waiting with a deadline.
#include "actors/control/deadline_socket.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

namespace actorpipe {

namespace {

using std::chrono::milliseconds;

struct found {
  int error = 0;
  std::vector<socket_address> addresses;
};

found look_up(const endpoint& where, int flags) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  found result;
  result.error = ::getaddrinfo(
    where.host.c_str(), std::to_string(where.port).c_str(), &wanted, &list);
  if (result.error != 0)
    return result;
  for (const auto* i = list; i != nullptr; i = i->ai_next) {
    auto& next = result.addresses.emplace_back();
    std::memcpy(&next.value, i->ai_addr, i->ai_addrlen);
    next.size = i->ai_addrlen;
  }
  ::freeaddrinfo(list);
  return result;
}

std::string words(int error) {
  switch (error) {
  case ECONNREFUSED:
    return "connection refused: no process listens there";
  case EHOSTUNREACH:
  case ENETUNREACH:
    return "no route to the host";
  case ETIMEDOUT:
    return "no answer: the host is down, or its packets are dropped";
  default:
    return std::strerror(error);
  }
}

/// Zero, or the error.
int connect_one(const socket_address& to, deadline until, descriptor& socket) {
  socket = descriptor(::socket(to.value.ss_family,
                               SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.get() < 0)
    return errno;
  if (::connect(socket.get(), to.get(), to.size) == 0)
    return 0;
  if (errno != EINPROGRESS)
    return errno;
  if (!wait_ready(socket.get(), POLLOUT, until))
    return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof(error);
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0)
    return errno;
  return error;
}

} // namespace

descriptor::~descriptor() {
  if (value_ >= 0)
    ::close(value_);
}

std::string socket_address::host() const {
  char text[NI_MAXHOST] = "";
  ::getnameinfo(get(), size, text, sizeof(text), nullptr, 0, NI_NUMERICHOST);
  return text;
}

std::vector<socket_address> resolve(const endpoint& where, deadline until) {
  auto answer = look_up(where, AI_NUMERICHOST);
  if (answer.error == EAI_NONAME) {
    // Nothing ends a call of getaddrinfo, so it gets a thread to itself.
    const auto promise = std::make_shared<std::promise<found>>();
    auto future = promise->get_future();
    std::thread([promise, where] {
      promise->set_value(look_up(where, AI_ADDRCONFIG));
    }).detach();
    if (future.wait_until(until) != std::future_status::ready)
      throw std::runtime_error("nobody answers what the host's address is");
    answer = future.get();
  }
  if (answer.error != 0)
    throw std::runtime_error(fmt::format("no address for this host: {}",
                                         ::gai_strerror(answer.error)));
  return answer.addresses;
}

descriptor connect_socket(const endpoint& where, deadline until) {
  const auto addresses = resolve(where, until);
  int error = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    // Each of those that are left gets its share of the time that is left.
    const auto now = std::chrono::steady_clock::now();
    const auto share =
      (until - now) / static_cast<std::int64_t>(addresses.size() - i);
    descriptor socket;
    const auto result = connect_one(addresses[i], now + share, socket);
    if (result == 0)
      return socket;
    if (error == 0 || error == ENETUNREACH)
      error = result;
  }
  throw std::runtime_error(words(error));
}

descriptor listen_socket(const socket_address& address, std::uint16_t& port) {
  descriptor result(::socket(address.value.ss_family,
                             SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  // A node that returns need not wait for its old connections to be forgotten.
  const int yes = 1;
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  auto* const any = reinterpret_cast<sockaddr*>(&bound);
  if (::setsockopt(result.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes))
        != 0
      || ::bind(result.get(), address.get(), address.size) != 0
      || ::listen(result.get(), SOMAXCONN) != 0
      || ::getsockname(result.get(), any, &size) != 0)
    throw std::runtime_error(std::strerror(errno));
  port = ntohs(bound.ss_family == AF_INET6
                 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                 : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
  return result;
}

bool wait_ready(int socket, short events, deadline until) {
  for (;;) {
    const auto left =
      std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
    pollfd what{socket, events, 0};
    const auto timeout =
      std::clamp<std::int64_t>(left.count(), 0, milliseconds(60000).count());
    const auto count = ::poll(&what, 1, static_cast<int>(timeout));
    if (count > 0)
      return true;
    if (count < 0 && errno != EINTR)
      return true; // the next call on the socket says what is wrong
    if (left.count() <= 0)
      return false;
  }
}

} // namespace actorpipe
