// SPDX-License-Identifier: Apache-2.0
/// Connecting and greeting.
#include "actors/link/dial.hpp"

#include "actors/link/link_error.hpp"
#include "actors/link/timed_stream.hpp"
#include "actors/link/tls_context.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace actorpipe {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// One attempt. Every function blocks.
class attempt {
public:
  explicit attempt(const link_dial_options& options) : options_(options) {}

  link_stream make(const link_greeting& greeting) {
    const tls_context tls(options_.secure);
    auto socket = connect();
    auto* const state = tls.make_state(tls_context::role::dials);
    stream_ = std::make_shared<timed_stream>(
      runner_, link_stream(socket.release(), state), options_.step_deadline);
    await([&](auto done) { stream_->secure(done); });
    await([&](auto done) { stream_->write(encode(greeting), done); });
    hear_answer();
    return stream_->release();
  }

private:
  // Runs one step.
  template <class Step>
  void await(Step step) {
    std::string fault;
    step([&fault](const std::string& what) { fault = what; });
    runner_.restart();
    runner_.run();
    if (!fault.empty())
      throw link_error(fault);
  }

  // Runs what was started with `result` until it is done or late.
  void await_one(const boost::system::error_code& result, const char* what) {
    runner_.restart();
    runner_.run_for(options_.step_deadline);
    if (result == asio::error::would_block)
      throw link_error(fmt::format(
        "no answer in {:.1f} s: {}",
        std::chrono::duration<double>(options_.step_deadline).count(), what));
    if (result)
      throw link_error(result.message());
  }

  tcp::socket connect() {
    boost::system::error_code result = asio::error::would_block;
    tcp::resolver resolver(runner_);
    tcp::resolver::results_type found;
    resolver.async_resolve(options_.host, std::to_string(options_.port),
                           [&](const auto& error, auto endpoints) {
                             result = error;
                             found = endpoints;
                           });
    await_one(result, "finding the address");
    tcp::socket socket(runner_);
    result = asio::error::would_block;
    asio::async_connect(
      socket, found, [&](const auto& error, const auto&) { result = error; });
    await_one(result, "connecting");
    return socket;
  }

  void hear_answer() {
    std::array<std::byte, answer_start_bytes> start{};
    try {
      await([&](auto done) { stream_->read(start, done); });
    } catch (const link_error& error) {
      if (options_.secure || error.what() != std::string_view(peer_closed))
        throw;
      throw link_error(std::string(peer_closed)
                       + ": it may take nothing but TLS, or be no process of "
                         "actorpipe");
    }
    std::string refusal(refusal_bytes(start), '\0');
    if (refusal.empty())
      return;
    await([&](auto done) {
      stream_->read(std::as_writable_bytes(std::span(refusal)), done);
    });
    // It is shown to people, and may be anything.
    std::ranges::replace_if(
      refusal, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
    throw link_error("the peer refuses: " + refusal);
  }

  const link_dial_options& options_;
  asio::io_context runner_{1};
  std::shared_ptr<timed_stream> stream_;
};

} // namespace

link_stream dial(const link_dial_options& options,
                 const link_greeting& greeting) {
  try {
    return attempt(options).make(greeting);
  } catch (const std::exception& error) {
    throw link_error(fmt::format("cannot open a link to {}:{}: {}",
                                 options.host, options.port, error.what()));
  }
}

} // namespace actorpipe
