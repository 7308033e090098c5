// SPDX-License-Identifier: Apache-2.0
/// Scribes whose bytes go through OpenSSL, and who lets them in.
#include "actors/cluster/tls_scribe.hpp"

#include "actors/cluster/strangers.hpp"

#include <caf/io/broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/doorman_impl.hpp>
#include <caf/io/network/interfaces.hpp>
#include <caf/io/network/stream_impl.hpp>
#include <caf/io/scribe.hpp>
#include <caf/openssl/session.hpp>

#include <exception>
#include <memory>

namespace actorpipe {

namespace {

namespace network = caf::io::network;

/// What `network::stream_impl` asks of a way to move bytes.
class tls_policy {
public:
  tls_policy(caf::openssl::session_ptr session,
             std::shared_ptr<strangers> waiting)
    : session_(std::move(session)), waiting_(std::move(waiting)) {
    // nop
  }

  network::rw_state read_some(std::size_t& count, network::native_socket socket,
                              void* to, std::size_t size) {
    const auto result = session_->read_some(count, socket, to, size);
    // OpenSSL hands out no byte before the certificate is accepted.
    if (count > 0 && waiting_ != nullptr) {
      waiting_->remove(socket);
      waiting_ = nullptr;
    }
    return result;
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
  std::shared_ptr<strangers> waiting_;
};

class tls_scribe : public caf::io::scribe {
public:
  /// `waiting`: where the socket is listed until a certificate is accepted; or
  /// null.
  tls_scribe(network::default_multiplexer& loop, network::native_socket socket,
             caf::openssl::session_ptr session,
             std::shared_ptr<strangers> waiting)
    : scribe(network::conn_hdl_from_socket(socket)), waiting_(waiting),
      stream_(loop, socket, std::move(session), std::move(waiting)) {
    if (waiting_ != nullptr)
      waiting_->add(socket);
  }

  ~tls_scribe() override {
    if (waiting_ != nullptr)
      waiting_->remove(stream_.fd());
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
  std::shared_ptr<strangers> waiting_;
  network::stream_impl<tls_policy> stream_;
};

/// Null when the handshake fails at once, or cannot even begin.
caf::io::scribe_ptr make_scribe(caf::actor_system& system,
                                network::default_multiplexer& loop,
                                descriptor socket,
                                std::shared_ptr<strangers> waiting) {
  const auto is_server = waiting != nullptr;
  try {
    auto session = caf::openssl::make_session(system, socket.get(), is_server);
    if (session == nullptr)
      return nullptr;
    return caf::make_counted<tls_scribe>(
      loop, socket.release(), std::move(session), std::move(waiting));
  } catch (const std::exception&) {
    return nullptr;
  }
}

class tls_doorman : public network::doorman_impl {
public:
  using network::doorman_impl::doorman_impl;

  bool new_connection() override {
    descriptor socket(acceptor_.accepted_socket());
    if (detached())
      return false; // nobody listens any more
    auto& loop = acceptor_.backend();
    network::nonblocking(socket.get(), true);
    auto scribe =
      make_scribe(parent()->system(), loop, std::move(socket), waiting_);
    if (scribe == nullptr)
      return false;
    const auto id = scribe->hdl();
    parent()->add_scribe(std::move(scribe));
    return doorman::new_connection(&loop, id);
  }

private:
  std::shared_ptr<strangers> waiting_ =
    std::make_shared<strangers>(most_strangers);
};

/// The OpenSSL manager refuses any other kind.
network::default_multiplexer& loop_of(caf::actor_system& system) {
  return static_cast<network::default_multiplexer&>(
    system.middleman().backend());
}

} // namespace

caf::io::scribe_ptr make_tls_scribe(caf::actor_system& system,
                                    descriptor socket) {
  return make_scribe(system, loop_of(system), std::move(socket), nullptr);
}

caf::io::doorman_ptr make_tls_doorman(caf::actor_system& system,
                                      descriptor socket) {
  return caf::make_counted<tls_doorman>(loop_of(system), socket.release());
}

} // namespace actorpipe
