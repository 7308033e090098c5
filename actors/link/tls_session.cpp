// SPDX-License-Identifier: Apache-2.0
/// OpenSSL with input and output of its own.
#include "actors/link/tls_session.hpp"

#include "actors/link/link_error.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <exception>
#include <memory>
#include <string>

namespace actorpipe {

namespace {

// What gathers before it is sent.
constexpr std::size_t send_bytes = std::size_t{256} << 10;

// Up to so many bytes, the parts of a write share records.
constexpr std::size_t small_write_bytes = std::size_t{64} << 10;

// AES-GCM is safe for some 2^38 bytes under one key; OpenSSL never makes new
// ones by itself.
constexpr std::uint64_t new_keys_after_bytes = std::uint64_t{1} << 36;

std::string library_fault() {
  const auto code = ERR_peek_error();
  const auto* reason = ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? "no reason is known" : reason;
}

bool is_alert_about_certificate(unsigned long code) {
  if (ERR_GET_LIB(code) != ERR_LIB_SSL)
    return false;
  switch (ERR_GET_REASON(code) - SSL_AD_REASON_OFFSET) {
  case SSL_AD_BAD_CERTIFICATE:
  case SSL_AD_UNSUPPORTED_CERTIFICATE:
  case SSL_AD_CERTIFICATE_REVOKED:
  case SSL_AD_CERTIFICATE_EXPIRED:
  case SSL_AD_CERTIFICATE_UNKNOWN:
  case SSL_AD_UNKNOWN_CA:
  case SSL_AD_CERTIFICATE_REQUIRED:
    return true;
  default:
    return false;
  }
}

// In words that say which side does not accept what.
std::string handshake_fault(ssl_st* state) {
  const auto verified = SSL_get_verify_result(state);
  if (verified != X509_V_OK)
    return std::string("the peer's certificate is not accepted: ")
         + X509_verify_cert_error_string(verified);
  const auto code = ERR_peek_error();
  const auto reason = ERR_GET_REASON(code);
  if (is_alert_about_certificate(code))
    return "the peer does not accept the certificate shown to it: "
         + library_fault();
  if (ERR_GET_LIB(code) == ERR_LIB_SSL
      && reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE)
    return "the peer showed no certificate";
  if (ERR_GET_LIB(code) == ERR_LIB_SSL
      && (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST))
    return "the peer does not speak TLS: " + library_fault();
  return library_fault();
}

} // namespace

void tls_session::release::operator()(ssl_st* x) const noexcept {
  SSL_free(x);
}

const void* tls_session::methods() {
  static const auto made = [] {
    auto* result =
      BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "link");
    BIO_meth_set_write(result, take_records);
    BIO_meth_set_read(result, give_records);
    BIO_meth_set_ctrl(result, control);
    return std::shared_ptr<BIO_METHOD>(result, BIO_meth_free);
  }();
  return made.get();
}

tls_session::tls_session(ssl_st* state, tcp_socket& socket)
  : socket_(socket), state_(state) {
  auto* both = BIO_new(static_cast<const BIO_METHOD*>(methods()));
  if (both == nullptr)
    throw link_error("no memory for TLS");
  BIO_set_data(both, this);
  BIO_set_init(both, 1);
  SSL_set_bio(state_.get(), both, both);
}

tls_session::~tls_session() = default;

int tls_session::take_records(bio_st* self, const char* bytes, int size) {
  auto& session = *static_cast<tls_session*>(BIO_get_data(self));
  BIO_clear_retry_flags(self);
  // No exception passes through the library, which is C.
  try {
    session.socket_.keep(
      std::as_bytes(std::span(bytes, static_cast<std::size_t>(size))));
    if (session.mode_ == io_mode::blocking
        && session.socket_.kept_bytes() >= send_bytes)
      session.socket_.send_kept(io_mode::blocking);
  } catch (const std::exception& error) {
    session.socket_fault_ = error.what();
    return -1;
  }
  return size;
}

int tls_session::give_records(bio_st* self, char* into, int size) {
  auto& session = *static_cast<tls_session*>(BIO_get_data(self));
  BIO_clear_retry_flags(self);
  try {
    const auto got = session.socket_.receive(
      std::as_writable_bytes(std::span(into, static_cast<std::size_t>(size))),
      {});
    if (!got) {
      BIO_set_retry_read(self);
      return -1;
    }
    session.ended_ = *got == 0;
    return static_cast<int>(*got);
  } catch (const std::exception& error) {
    session.socket_fault_ = error.what();
    return -1;
  }
}

long tls_session::control(bio_st* self, int command, long, void*) {
  switch (command) {
  case BIO_CTRL_FLUSH:
    return 1; // the owner of the session flushes
  case BIO_CTRL_EOF:
    return static_cast<tls_session*>(BIO_get_data(self))->ended_ ? 1 : 0;
  default:
    return 0;
  }
}

bool tls_session::shake_hands() {
  ERR_clear_error();
  const auto result = SSL_do_handshake(state_.get());
  if (result == 1)
    return true;
  const auto code = SSL_get_error(state_.get(), result);
  if (code == SSL_ERROR_WANT_READ)
    return false;
  // The peer is told why, as far as that goes without waiting.
  auto fault = socket_fault_;
  if (fault.empty())
    fault = code == SSL_ERROR_SSL && !ended_ ? handshake_fault(state_.get())
                                             : peer_closed;
  try {
    socket_.send_kept(io_mode::at_once);
  } catch (const link_error&) {
    // The first fault is the one to report.
  }
  throw link_error(fault);
}

void tls_session::write(std::span<const part> parts, io_mode mode) {
  mode_ = mode;
  std::size_t total = 0;
  for (const auto x : parts)
    total += x.size();
  if (parts.size() > 1 && total <= small_write_bytes) {
    gathered_.clear();
    for (const auto x : parts)
      gathered_.insert(gathered_.end(), x.begin(), x.end());
    encrypt(gathered_);
    return;
  }
  for (const auto x : parts)
    encrypt(x);
}

void tls_session::encrypt(part bytes) {
  if (bytes.empty())
    return;
  ERR_clear_error();
  since_new_keys_bytes_ += bytes.size();
  if (since_new_keys_bytes_ > new_keys_after_bytes) {
    since_new_keys_bytes_ = bytes.size();
    SSL_key_update(state_.get(), SSL_KEY_UPDATE_NOT_REQUESTED);
  }
  std::size_t written = 0;
  const auto result =
    SSL_write_ex(state_.get(), bytes.data(), bytes.size(), &written);
  if (result != 1)
    fail("sending", SSL_get_error(state_.get(), result));
}

std::optional<std::size_t> tls_session::read(std::span<std::byte> into) {
  ERR_clear_error();
  std::size_t got = 0;
  const auto result = SSL_read_ex(state_.get(), into.data(), into.size(), &got);
  if (result == 1)
    return got;
  const auto code = SSL_get_error(state_.get(), result);
  if (code == SSL_ERROR_WANT_READ)
    return std::nullopt;
  if (code == SSL_ERROR_ZERO_RETURN || ended_)
    return 0;
  fail("receiving", code);
}

void tls_session::fail(const char* what, int code) {
  if (!socket_fault_.empty())
    throw link_error(socket_fault_);
  if (is_alert_about_certificate(ERR_peek_error()))
    throw link_error(handshake_fault(state_.get()));
  throw link_error(
    std::string(what) + ": "
    + (code == SSL_ERROR_SSL ? library_fault() : "the connection broke"));
}

} // namespace actorpipe
