// SPDX-License-Identifier: Apache-2.0
/// Owning pointers to what OpenSSL makes, and its errors as text.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace actorpipe::openssl {

/// Calls the function that frees a thing.
template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* x) const noexcept {
    Free(x);
  }
};

using bio = std::unique_ptr<BIO, freed_by<BIO_free_all>>;
using key = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using certificate = std::unique_ptr<X509, freed_by<X509_free>>;
using extension =
  std::unique_ptr<X509_EXTENSION, freed_by<X509_EXTENSION_free>>;
using number = std::unique_ptr<BIGNUM, freed_by<BN_free>>;
using store = std::unique_ptr<X509_STORE, freed_by<X509_STORE_free>>;
using verification =
  std::unique_ptr<X509_STORE_CTX, freed_by<X509_STORE_CTX_free>>;
using context = std::unique_ptr<SSL_CTX, freed_by<SSL_CTX_free>>;
using session = std::unique_ptr<SSL, freed_by<SSL_free>>;

/// The oldest error of this thread in words; all are forgotten.
inline std::string take_error() {
  const auto code = ERR_get_error();
  ERR_clear_error();
  if (code == 0)
    return "unknown reason";
  const auto* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : "error " + std::to_string(code);
}

} // namespace actorpipe::openssl
