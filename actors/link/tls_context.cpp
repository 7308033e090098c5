// SPDX-License-Identifier: Apache-2.0
/// Certificates and limits of TLS.
#include "actors/link/tls_context.hpp"

#include "actors/link/link_error.hpp"

#include <boost/asio/ssl/context.hpp>
#include <openssl/ssl.h>

namespace actorpipe {

namespace {

namespace ssl = boost::asio::ssl;

// So much is read ahead at once; a record has 16 KiB.
constexpr std::size_t read_ahead_bytes = std::size_t{256} << 10;

void require(const boost::system::error_code& result, const char* what,
             const std::string& file) {
  if (result)
    throw link_error(std::string("the ") + what + " in " + file
                     + " cannot be used: " + result.message());
}

void load(ssl::context& into, const tls_files& files) {
  boost::system::error_code result;
  into.use_certificate_chain_file(files.certificate, result);
  require(result, "certificate", files.certificate);
  into.use_private_key_file(files.key, ssl::context::pem, result);
  require(result, "key", files.key);
  into.load_verify_file(files.authority, result);
  require(result, "authority", files.authority);
  into.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
}

void limit(ssl_ctx_st* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  // The fastest first: every processor of today computes AES.
  SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256:"
                                    "TLS_AES_256_GCM_SHA384:"
                                    "TLS_CHACHA20_POLY1305_SHA256");
  // Tickets would be sent to a side that only writes and never reads them.
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_default_read_buffer_len(context, read_ahead_bytes);
}

} // namespace

tls_context::tls_context(const std::optional<tls_files>& files) {
  if (!files)
    return;
  ssl::context made(ssl::context::tlsv13);
  load(made, *files);
  limit(made.native_handle());
  SSL_CTX_up_ref(made.native_handle());
  context_ = std::shared_ptr<ssl_ctx_st>(made.native_handle(), SSL_CTX_free);
}

ssl_st* tls_context::make_state(role which) const {
  if (context_ == nullptr)
    return nullptr;
  auto* result = SSL_new(context_.get());
  if (result == nullptr)
    throw link_error("no memory for TLS");
  if (which == role::dials)
    SSL_set_connect_state(result);
  else
    SSL_set_accept_state(result);
  return result;
}

} // namespace actorpipe
