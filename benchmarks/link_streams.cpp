// SPDX-License-Identifier: Apache-2.0
/// Opening connections to compare.
#include "benchmarks/link_streams.hpp"

#include "actors/link/dial.hpp"
#include "actors/link/link_listener.hpp"
#include "actors/link/tls_context.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <openssl/ssl.h>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace actorpipe::benchmarks {

namespace {

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(2);
}

} // namespace

stream_ends open_link(const std::optional<tls_files>& secure) {
  std::promise<link_stream> taken;
  link_listener_options options;
  options.secure = secure;
  options.expects = [](const link_greeting&) { return std::string(); };
  options.accepted = [&](const link_greeting&, link_stream x) {
    taken.set_value(std::move(x));
  };
  const link_listener door(std::move(options));
  auto dialed = dial({"127.0.0.1", door.port(), secure}, {});
  return {std::move(dialed), taken.get_future().get()};
}

bare_socket::bare_socket(bare_socket&& other) noexcept
  : descriptor_(std::exchange(other.descriptor_, -1)) {}

bare_socket::~bare_socket() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

void bare_socket::write(std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const auto sent = ::send(descriptor_, bytes.data(), bytes.size(), 0);
    if (sent <= 0)
      give_up("send");
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

void bare_socket::read(std::span<std::byte> into) const {
  while (!into.empty()) {
    const auto got = ::recv(descriptor_, into.data(), into.size(), 0);
    if (got <= 0)
      give_up("recv");
    into = into.subspan(static_cast<std::size_t>(got));
  }
}

bare_ends open_bare() {
  using boost::asio::ip::tcp;
  boost::asio::io_context runner;
  tcp::acceptor door(runner, {boost::asio::ip::address_v4::loopback(), 0});
  tcp::socket dialed(runner);
  dialed.connect(door.local_endpoint());
  auto taken = door.accept();
  dialed.set_option(tcp::no_delay(true));
  taken.set_option(tcp::no_delay(true));
  return {bare_socket(dialed.release()), bare_socket(taken.release())};
}

bare_tls::bare_tls(const tls_files& files)
  : ends_(open_bare()),
    writes_(tls_context(files).make_state(tls_context::role::dials)),
    reads_(tls_context(files).make_state(tls_context::role::listens)) {
  // As OpenSSL does by itself, and not as a link asks it to.
  SSL_set_read_ahead(reads_, 0);
  SSL_set_fd(writes_, ends_.a.descriptor());
  SSL_set_fd(reads_, ends_.b.descriptor());
  std::thread other([this] { SSL_do_handshake(reads_); });
  if (SSL_do_handshake(writes_) != 1)
    give_up("handshake");
  other.join();
}

bare_tls::~bare_tls() {
  SSL_free(writes_);
  SSL_free(reads_);
}

void bare_tls::write(std::span<const std::byte> bytes) {
  std::size_t written = 0;
  if (SSL_write_ex(writes_, bytes.data(), bytes.size(), &written) != 1)
    give_up("SSL_write");
}

void bare_tls::read(std::span<std::byte> into) {
  while (!into.empty()) {
    std::size_t got = 0;
    if (SSL_read_ex(reads_, into.data(), into.size(), &got) != 1)
      give_up("SSL_read");
    into = into.subspan(got);
  }
}

} // namespace actorpipe::benchmarks
