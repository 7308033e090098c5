// SPDX-License-Identifier: Apache-2.0
/// Peers of a control connection: actor systems, and sockets that misbehave.
#pragma once

#include "actors/control/certificates.hpp"
#include "actors/control/control.hpp"
#include "actors/control/deadline_socket.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace actorpipe::test {

/// Long enough for whatever succeeds, on a machine that is busy.
inline constexpr auto patience = std::chrono::seconds(60);
/// Short, for what cannot succeed.
inline constexpr auto impatience = std::chrono::milliseconds(300);
inline constexpr auto usual_heartbeat = std::chrono::seconds(1);

/// One process, as far as CAF can tell.
struct peer {
  control_config config;
  caf::actor_system system;
  std::vector<caf::actor> published;

  explicit peer(const std::optional<tls_files>& tls,
                std::chrono::nanoseconds heartbeat = usual_heartbeat)
    : config(tls, heartbeat), system(config) {
    // nop
  }

  ~peer() {
    for (const auto& whom : published)
      caf::anon_send_exit(whom, caf::exit_reason::user_shutdown);
  }

  /// Publishes an actor that answers a number with its successor and a text
  /// with itself.
  endpoint listen(std::uint16_t port = 0) {
    const auto whom = system.spawn([]() -> caf::behavior {
      return {[](std::int32_t x) { return x + 1; },
              [](const std::string& x) { return x; }};
    });
    published.push_back(whom);
    return {"127.0.0.1", publish_control(
                           system, caf::actor_cast<caf::strong_actor_ptr>(whom),
                           {"127.0.0.1", port})};
  }

  /// What is said when connecting fails.
  std::string failure(const endpoint& where,
                      std::chrono::nanoseconds timeout = patience) {
    const auto result = connect_control(system, where, timeout);
    EXPECT_EQ(result.actor == nullptr, !result.failure.empty());
    const auto prefix = to_string(where) + ": ";
    if (result.actor != nullptr || !result.failure.starts_with(prefix))
      return "no error, or no endpoint in it: " + result.failure;
    return result.failure.substr(prefix.size());
  }
};

/// The successor of `number`, asked from a `peer::listen`; 0: no answer.
inline std::int32_t ask(caf::actor_system& system,
                        const caf::strong_actor_ptr& whom, std::int32_t number,
                        std::chrono::nanoseconds timeout = patience) {
  std::int32_t result = 0;
  caf::scoped_actor self(system);
  self->request(caf::actor_cast<caf::actor>(whom), timeout, number)
    .receive([&](std::int32_t x) { result = x; }, [](const caf::error&) {});
  return result;
}

/// Listens on loopback and does nothing else.
struct raw_listener {
  descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  endpoint where{"127.0.0.1", 0};

  explicit raw_listener(int backlog = 16) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(at);
    auto* const any = reinterpret_cast<sockaddr*>(&at);
    EXPECT_EQ(::bind(socket.get(), any, size), 0);
    EXPECT_EQ(::listen(socket.get(), backlog), 0);
    EXPECT_EQ(::getsockname(socket.get(), any, &size), 0);
    where.port = ntohs(at.sin_port);
  }
};

/// Accepts connections, says `text` to each, and closes it, or lets it be.
class talker {
public:
  talker(std::string text, bool closes)
    : text_(std::move(text)), closes_(closes), thread_([this] { talk(); }) {
    // nop
  }

  ~talker() {
    ::shutdown(listener_.socket.get(), SHUT_RDWR);
    thread_.join();
  }

  const endpoint& where() const { return listener_.where; }

private:
  void talk() {
    std::vector<descriptor> kept;
    for (;;) {
      descriptor socket(
        ::accept4(listener_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (socket.get() < 0)
        return;
      if (!text_.empty())
        ::send(socket.get(), text_.data(), text_.size(), MSG_NOSIGNAL);
      if (!closes_)
        kept.push_back(std::move(socket));
    }
  }

  raw_listener listener_;
  std::string text_;
  bool closes_;
  std::thread thread_;
};

inline std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// Whether `test` came true; CAF closes and notices in threads of its own.
template <class Test>
bool comes_true(Test test) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!test()) {
    if (std::chrono::steady_clock::now() > until)
      return false;
    std::this_thread::yield();
  }
  return true;
}

} // namespace actorpipe::test
