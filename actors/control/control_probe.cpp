// SPDX-License-Identifier: Apache-2.0
/// A handshake step by step.
#include "actors/control/control_probe.hpp"

#include "actors/control/control_config.hpp"
#include "actors/control/openssl_handles.hpp"
#include "actors/control/without_sigpipe.hpp"

#include <caf/actor_system.hpp>
#include <caf/io/basp/header.hpp>
#include <caf/io/basp/version.hpp>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string_view>

#include <poll.h>
#include <unistd.h>

namespace actorpipe {

namespace {

using greeting = std::array<unsigned char, caf::io::basp::header_size>;

constexpr const char* hung_up = "closed the connection in the handshake: it "
                                "is stopping, or no node of actorpipe";
constexpr const char* foreign = "is no node of actorpipe";

std::string append_for(bool tls, std::string_view text) {
  return fmt::format("{}, or one {}", text,
                     tls ? "without encryption" : "that wants certificates");
}

std::string silence(bool tls) {
  return append_for(tls, "accepts the connection but does not answer: it is "
                         "stopped or overloaded, no node of actorpipe");
}

/// What somebody who accepts connections says first: the kind of the message
/// and the version of CAF's protocol, which must be ours.
std::string judge(const greeting& bytes) {
  std::uint64_t version = 0;
  for (std::size_t i = 8; i < 16; ++i)
    version = version << 8U | bytes.at(i);
  const auto kind = static_cast<caf::io::basp::message_type>(bytes[0]);
  if (kind != caf::io::basp::message_type::server_handshake || bytes[1] != 0
      || bytes[2] != 0)
    return foreign;
  if (version != caf::io::basp::version)
    return fmt::format("speaks version {} of CAF's protocol, this process "
                       "version {}",
                       version, caf::io::basp::version);
  return {};
}

std::string probe_plain(int socket, deadline until) {
  greeting bytes{};
  std::size_t got = 0;
  while (got < bytes.size()) {
    if (!wait_ready(socket, POLLIN, until))
      return got > 0 ? foreign : silence(false);
    const auto count = ::read(socket, bytes.data() + got, bytes.size() - got);
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN))
      return append_for(false, hung_up);
    if (count > 0)
      got += static_cast<std::size_t>(count);
  }
  return judge(bytes);
}

/// Whether the other end's alert is about the certificate that we sent.
bool is_about_certificate(int reason) {
  const auto alert = reason - SSL_AD_REASON_OFFSET;
  return (alert >= SSL_AD_BAD_CERTIFICATE
          && alert <= SSL_AD_CERTIFICATE_UNKNOWN)
      || alert == SSL_AD_UNKNOWN_CA || alert == SSL_AD_ACCESS_DENIED
      || alert == SSL_AD_CERTIFICATE_REQUIRED;
}

std::string describe_failure(SSL* session) {
  const auto code = ERR_peek_error();
  const auto reason = ERR_GET_REASON(code);
  const auto text = openssl::take_error();
  if (code == 0 || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING)
    return append_for(true, hung_up);
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED)
    return fmt::format(
      "shows a certificate that is not accepted here: {}",
      X509_verify_cert_error_string(SSL_get_verify_result(session)));
  if (is_about_certificate(reason))
    return fmt::format("does not accept the certificate of this process: {}",
                       text);
  if (reason > SSL_AD_REASON_OFFSET)
    return fmt::format("refuses to speak TLS with this process: {}", text);
  return fmt::format("does not speak TLS: it is no node of actorpipe, or one "
                     "without encryption ({})",
                     text);
}

std::string probe_tls(SSL_CTX* context, int socket, deadline until) {
  const without_sigpipe guard;
  const openssl::session session(SSL_new(context));
  if (session == nullptr || SSL_set_fd(session.get(), socket) != 1)
    throw std::runtime_error("cannot set up TLS: " + openssl::take_error());
  greeting bytes{};
  std::size_t got = 0;
  bool is_connected = false;
  while (got < bytes.size()) {
    ERR_clear_error();
    const auto result = is_connected
                        ? SSL_read(session.get(), bytes.data() + got,
                                   static_cast<int>(bytes.size() - got))
                        : SSL_connect(session.get());
    if (result > 0) {
      got += is_connected ? static_cast<std::size_t>(result) : 0;
      is_connected = true;
      continue;
    }
    const auto error = SSL_get_error(session.get(), result);
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE)
      return describe_failure(session.get());
    const short events = error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
    if (!wait_ready(socket, events, until))
      return silence(true);
  }
  return judge(bytes);
}

} // namespace

std::string describe_silence(caf::actor_system& system) {
  return silence(config_of(system).tls() != nullptr);
}

std::string find_obstacle(caf::actor_system& system, const endpoint& where,
                          deadline until) {
  try {
    const auto socket = connect_socket(where, until);
    auto* const tls = config_of(system).tls();
    return tls != nullptr ? probe_tls(tls, socket.get(), until)
                          : probe_plain(socket.get(), until);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
}

} // namespace actorpipe
