// SPDX-License-Identifier: Apache-2.0
/// Accepting, greeting, and handing over.
#include "actors/link/link_listener.hpp"

#include "actors/link/link_error.hpp"
#include "actors/link/timed_stream.hpp"
#include "actors/link/tls_context.hpp"
#include "messages/protocol_version.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>

#include <map>
#include <thread>
#include <utility>

namespace actorpipe {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// One connection from its first byte to its handover.
class stranger : public std::enable_shared_from_this<stranger> {
public:
  stranger(std::shared_ptr<timed_stream> stream,
           const link_listener_options& options, std::function<void()> forget)
    : stream_(std::move(stream)), options_(options),
      forget_(std::move(forget)) {}

  void start() { stream_->secure(next(&stranger::read_start)); }

  /// The connection is closed as soon as nothing is under way.
  void give_up() {
    leaving_ = true;
    stream_->give_up();
  }

private:
  using step = void (stranger::*)();

  timed_stream::then next(step what) {
    return [self = shared_from_this(), what](const std::string& fault) {
      if (fault.empty())
        (self.get()->*what)();
      else
        self->leave();
    };
  }

  void read_start() {
    stream_->read(std::span(bytes_).first<greeting_start_bytes>(),
                  next(&stranger::read_rest));
  }

  void read_rest() {
    const auto start =
      std::span(std::as_const(bytes_)).first<greeting_start_bytes>();
    if (!is_greeting(start))
      return leave();
    if (protocol_of(start) != protocol_version)
      return refuse(fmt::format("this process speaks version {} of the "
                                "protocol, not {}",
                                protocol_version, protocol_of(start)));
    stream_->read(std::span(bytes_).subspan<greeting_start_bytes>(),
                  next(&stranger::answer));
  }

  void answer() {
    const auto greeting = decode_greeting(std::as_const(bytes_));
    if (!greeting)
      return leave();
    if (const auto refusal = options_.expects(*greeting); !refusal.empty())
      return refuse(refusal);
    greeting_ = *greeting;
    stream_->write(encode_answer({}), next(&stranger::hand_over));
  }

  void refuse(const std::string& why) {
    stream_->write(encode_answer(why), next(&stranger::leave));
  }

  void hand_over() {
    forget_();
    std::optional<link_stream> opened;
    try {
      opened = stream_->release();
    } catch (const link_error&) {
      return; // it has broken already
    }
    options_.accepted(greeting_, std::move(*opened));
  }

  // What was said last, such as an alert of TLS, reaches the peer.
  void leave() {
    if (std::exchange(leaving_, true))
      forget_();
    else
      stream_->close(next(&stranger::leave));
  }

  std::shared_ptr<timed_stream> stream_;
  const link_listener_options& options_;
  std::function<void()> forget_;
  std::array<std::byte, greeting_bytes> bytes_{};
  link_greeting greeting_;
  bool leaving_ = false;
};

tcp::acceptor listen_at(asio::io_context& runner,
                        const link_listener_options& options) {
  try {
    tcp::resolver resolver(runner);
    const auto found = resolver.resolve(
      options.host, std::to_string(options.port), tcp::resolver::passive);
    return {runner, found.begin()->endpoint(), true};
  } catch (const boost::system::system_error& error) {
    throw link_error(fmt::format("cannot take links at {}:{}: {}", options.host,
                                 options.port, error.code().message()));
  }
}

} // namespace

class link_listener::implementation {
public:
  explicit implementation(link_listener_options options)
    : options_(std::move(options)), tls_(options_.secure),
      acceptor_(listen_at(runner_, options_)),
      port_(acceptor_.local_endpoint().port()) {
    accept_next();
    thread_ = std::thread([this] { runner_.run(); });
  }

  ~implementation() {
    runner_.stop();
    thread_.join();
  }

  std::uint16_t port() const noexcept { return port_; }

private:
  void accept_next() {
    acceptor_.async_accept([this](const auto& error, tcp::socket socket) {
      if (!error)
        welcome(std::move(socket));
      // Where the system is out of descriptors it would fail at once again.
      if (!error || error == asio::error::connection_aborted)
        return accept_next();
      pause_.expires_after(std::chrono::milliseconds{50});
      pause_.async_wait([this](const auto&) { accept_next(); });
    });
  }

  void welcome(tcp::socket socket) {
    auto* const state = tls_.make_state(tls_context::role::listens);
    const auto descriptor = socket.release();
    while (strangers_.size() >= options_.most_strangers) {
      strangers_.begin()->second->give_up();
      strangers_.erase(strangers_.begin());
    }
    try {
      link_stream stream(descriptor, state);
      const auto number = ++arrived_;
      const auto one = std::make_shared<stranger>(
        std::make_shared<timed_stream>(runner_, std::move(stream),
                                       options_.step_deadline),
        options_, [this, number] { strangers_.erase(number); });
      strangers_.emplace(number, one);
      one->start();
    } catch (const link_error&) {
      // It has gone already.
    }
  }

  link_listener_options options_;
  tls_context tls_;
  asio::io_context runner_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer pause_{runner_};
  std::uint16_t port_;
  std::uint64_t arrived_ = 0;
  std::map<std::uint64_t, std::shared_ptr<stranger>> strangers_; ///< by age
  std::thread thread_;
};

link_listener::link_listener(link_listener_options options)
  : impl_(std::make_unique<implementation>(std::move(options))) {}

link_listener::~link_listener() = default;

std::uint16_t link_listener::port() const noexcept {
  return impl_->port();
}

} // namespace actorpipe
