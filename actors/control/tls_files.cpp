// SPDX-License-Identifier: Apache-2.0
/// The check of certificate, key and authority.
#include "actors/control/tls_files.hpp"

#include "actors/control/openssl_handles.hpp"

#include <fmt/format.h>
#include <openssl/pem.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace actorpipe {

namespace {

[[noreturn]] void refuse(std::string_view what, const std::string& path,
                         std::string_view why) {
  throw std::invalid_argument(fmt::format("{} {}: {}", what, path, why));
}

void expect_readable(std::string_view what, const std::string& path) {
  if (path.empty())
    throw std::invalid_argument(fmt::format(
      "no {}: certificate, key and authority are given together", what));
  errno = 0;
  std::ifstream file(path);
  if (!file || file.peek() == std::ifstream::traits_type::eof())
    refuse(what, path,
           errno != 0 ? std::strerror(errno) : "cannot be read, or is empty");
}

/// A key that asks for a passphrase would ask the terminal at every connection.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

openssl::certificate read_certificate(const std::string& path) {
  const openssl::bio file(BIO_new_file(path.c_str(), "r"));
  openssl::certificate result(
    file ? PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr) : nullptr);
  ERR_clear_error();
  return result;
}

bool holds_private_key(const std::string& path) {
  const openssl::bio file(BIO_new_file(path.c_str(), "r"));
  const openssl::key found(
    file ? PEM_read_bio_PrivateKey(file.get(), nullptr, no_passphrase, nullptr)
         : nullptr);
  ERR_clear_error();
  return found != nullptr;
}

/// Verifies for one end of a connection, as the other end will.
void verify(const tls_files& files, SSL_CTX* context, int purpose) {
  const openssl::verification check(X509_STORE_CTX_new());
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(context, &chain);
  if (!check
      || X509_STORE_CTX_init(check.get(), SSL_CTX_get_cert_store(context),
                             SSL_CTX_get0_certificate(context), chain)
           != 1)
    refuse("certificate", files.certificate, openssl::take_error());
  X509_STORE_CTX_set_purpose(check.get(), purpose);
  X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(check.get()),
                                   SSL_CTX_get_security_level(context));
  const auto is_good = X509_verify_cert(check.get()) == 1;
  ERR_clear_error();
  if (is_good)
    return;
  const auto error = X509_STORE_CTX_get_error(check.get());
  const std::string why = X509_verify_cert_error_string(error);
  const auto depth = X509_STORE_CTX_get_error_depth(check.get());
  if (error == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
      || error == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT
      || error == X509_V_ERR_CERT_SIGNATURE_FAILURE)
    refuse(
      "certificate", files.certificate,
      fmt::format("not signed by the authority {} ({})", files.authority, why));
  if (depth == 0)
    refuse("certificate", files.certificate, why);
  refuse("authority", files.authority, why);
}

} // namespace

void check(const tls_files& files) {
  expect_readable("certificate", files.certificate);
  expect_readable("key", files.key);
  expect_readable("authority", files.authority);
  if (!read_certificate(files.certificate))
    refuse("certificate", files.certificate,
           "no certificate in PEM form (\"BEGIN CERTIFICATE\")");
  if (!holds_private_key(files.key))
    refuse("key", files.key,
           "no private key in PEM form that needs no passphrase");
  if (!read_certificate(files.authority))
    refuse("authority", files.authority,
           "no certificate in PEM form (\"BEGIN CERTIFICATE\")");
  const openssl::context context(SSL_CTX_new(TLS_method()));
  if (!context)
    throw std::runtime_error("no TLS: " + openssl::take_error());
  if (SSL_CTX_use_certificate_chain_file(context.get(),
                                         files.certificate.c_str())
      != 1)
    refuse("certificate", files.certificate, openssl::take_error());
  if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(),
                                  SSL_FILETYPE_PEM)
      != 1)
    refuse("key", files.key,
           fmt::format("not the key of certificate {} ({})", files.certificate,
                       openssl::take_error()));
  if (SSL_CTX_load_verify_locations(context.get(), files.authority.c_str(),
                                    nullptr)
      != 1)
    refuse("authority", files.authority, openssl::take_error());
  verify(files, context.get(), X509_PURPOSE_SSL_CLIENT);
  verify(files, context.get(), X509_PURPOSE_SSL_SERVER);
}

} // namespace actorpipe
