// SPDX-License-Identifier: Apache-2.0
/// Scribes whose bytes go through OpenSSL, and who lets them in.
#include "actors/control/tls_scribe.hpp"

#include "actors/control/control_config.hpp"
#include "actors/control/strangers.hpp"
#include "actors/control/tls_policy.hpp"

#include <caf/io/broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/doorman_impl.hpp>
#include <caf/io/network/interfaces.hpp>
#include <caf/io/network/stream_impl.hpp>
#include <caf/io/scribe.hpp>

#include <memory>

namespace actorpipe {

namespace {

namespace network = caf::io::network;

class tls_scribe : public caf::io::scribe {
public:
  /// `waiting`: where the socket is listed until a certificate is accepted; or
  /// null.
  tls_scribe(network::default_multiplexer& loop, network::native_socket socket,
             openssl::session session, std::shared_ptr<strangers> waiting)
    : scribe(network::conn_hdl_from_socket(socket)),
      waiting_(std::move(waiting)),
      stream_(loop, socket, std::move(session), [this] { secured(); }) {
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

  std::vector<char>& wr_buf() override {
    return is_secured_ ? stream_.wr_buf() : early_;
  }

  std::vector<char>& rd_buf() override { return stream_.rd_buf(); }

  void flush() override {
    if (is_secured_)
      stream_.flush(this);
  }

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
  /// In the network thread, from a call of the stream's.
  void secured() {
    if (waiting_ != nullptr)
      waiting_->remove(stream_.fd());
    is_secured_ = true;
    stream_.wr_buf().swap(early_);
    stream_.flush(this);
  }

  bool is_started_ = false;
  bool is_secured_ = false;
  /// What CAF says before anybody may hear it. The stream has nothing until
  /// then: it would try to write it without end.
  std::vector<char> early_;
  std::shared_ptr<strangers> waiting_;
  network::stream_impl<tls_policy> stream_;
};

/// Null without memory for it.
caf::io::scribe_ptr make_scribe(SSL_CTX* context,
                                network::default_multiplexer& loop,
                                descriptor socket,
                                std::shared_ptr<strangers> waiting) {
  openssl::session session(SSL_new(context));
  if (session == nullptr || SSL_set_fd(session.get(), socket.get()) != 1)
    return nullptr;
  if (waiting != nullptr)
    SSL_set_accept_state(session.get());
  else
    SSL_set_connect_state(session.get());
  return caf::make_counted<tls_scribe>(loop, socket.release(),
                                       std::move(session), std::move(waiting));
}

class tls_doorman : public network::doorman_impl {
public:
  tls_doorman(network::default_multiplexer& loop, network::native_socket socket,
              SSL_CTX* context)
    : doorman_impl(loop, socket), context_(context) {
    // nop
  }

  bool new_connection() override {
    descriptor socket(acceptor_.accepted_socket());
    if (detached())
      return false; // nobody listens any more
    auto& loop = acceptor_.backend();
    network::nonblocking(socket.get(), true);
    auto scribe = make_scribe(context_, loop, std::move(socket), waiting_);
    if (scribe == nullptr)
      return false;
    const auto id = scribe->hdl();
    parent()->add_scribe(std::move(scribe));
    return doorman::new_connection(&loop, id);
  }

private:
  SSL_CTX* context_; ///< lives as long as the system's configuration
  std::shared_ptr<strangers> waiting_ =
    std::make_shared<strangers>(most_strangers);
};

/// The only kind that CAF has besides one for its own tests.
network::default_multiplexer& loop_of(caf::actor_system& system) {
  return static_cast<network::default_multiplexer&>(
    system.middleman().backend());
}

} // namespace

caf::io::scribe_ptr make_tls_scribe(caf::actor_system& system,
                                    descriptor socket) {
  return make_scribe(config_of(system).tls(), loop_of(system),
                     std::move(socket), nullptr);
}

caf::io::doorman_ptr make_tls_doorman(caf::actor_system& system,
                                      descriptor socket) {
  return caf::make_counted<tls_doorman>(loop_of(system), socket.release(),
                                        config_of(system).tls());
}

} // namespace actorpipe
