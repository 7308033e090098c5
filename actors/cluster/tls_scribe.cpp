// SPDX-License-Identifier: Apache-2.0
/// A scribe whose bytes go through OpenSSL.
#include "actors/cluster/tls_scribe.hpp"

#include <caf/io/broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/interfaces.hpp>
#include <caf/io/network/stream_impl.hpp>
#include <caf/io/scribe.hpp>
#include <caf/openssl/session.hpp>

namespace actorpipe {

namespace {

namespace network = caf::io::network;

/// What `network::stream_impl` asks of a way to move bytes.
class tls_policy {
public:
  explicit tls_policy(caf::openssl::session_ptr session)
    : session_(std::move(session)) {
    // nop
  }

  network::rw_state read_some(std::size_t& count, network::native_socket socket,
                              void* to, std::size_t size) {
    return session_->read_some(count, socket, to, size);
  }

  network::rw_state write_some(std::size_t& count,
                               network::native_socket socket, const void* from,
                               std::size_t size) {
    return session_->write_some(count, socket, from, size);
  }

  bool must_read_more(network::native_socket socket, std::size_t threshold) {
    return session_->must_read_more(socket, threshold);
  }

private:
  caf::openssl::session_ptr session_;
};

class tls_scribe : public caf::io::scribe {
public:
  tls_scribe(network::default_multiplexer& loop, network::native_socket socket,
             caf::openssl::session_ptr session)
    : scribe(network::conn_hdl_from_socket(socket)),
      stream_(loop, socket, std::move(session)) {
    // nop
  }

  void configure_read(caf::io::receive_policy::config how) override {
    stream_.configure_read(how);
    if (is_started_)
      return;
    is_started_ = true;
    stream_.start(this);
    // The handshake may want to write while CAF has nothing to.
    stream_.force_empty_write(this);
  }

  void ack_writes(bool enable) override { stream_.ack_writes(enable); }

  std::vector<char>& wr_buf() override { return stream_.wr_buf(); }

  std::vector<char>& rd_buf() override { return stream_.rd_buf(); }

  void flush() override { stream_.flush(this); }

  void graceful_shutdown() override {
    stream_.graceful_shutdown();
    detach(&stream_.backend(), false);
  }

  void add_to_loop() override { stream_.activate(this); }

  void remove_from_loop() override { stream_.passivate(); }

  std::string addr() const override {
    const auto result = network::remote_addr_of_fd(stream_.fd());
    return result ? *result : std::string();
  }

  std::uint16_t port() const override {
    const auto result = network::remote_port_of_fd(stream_.fd());
    return result ? *result : std::uint16_t{0};
  }

private:
  bool is_started_ = false;
  network::stream_impl<tls_policy> stream_;
};

} // namespace

caf::io::scribe_ptr make_tls_scribe(caf::actor_system& system,
                                    descriptor socket) {
  auto session = caf::openssl::make_session(system, socket.get(), false);
  if (session == nullptr)
    return nullptr;
  // The OpenSSL manager refuses any other kind.
  auto& loop =
    static_cast<network::default_multiplexer&>(system.middleman().backend());
  return caf::make_counted<tls_scribe>(loop, socket.release(),
                                       std::move(session));
}

} // namespace actorpipe
