// SPDX-License-Identifier: Apache-2.0
/// SHA-256 by OpenSSL.
#include "compute/io/sha256.hpp"

#include <openssl/evp.h>

#include <stdexcept>

namespace actorpipe {

namespace {

void require(int done) {
  if (done != 1)
    throw std::runtime_error("SHA-256 is not available from OpenSSL");
}

} // namespace

struct sha256::context {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> state{
    EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

sha256::sha256() : context_(std::make_unique<context>()) {
  require(EVP_DigestInit_ex(context_->state.get(), EVP_sha256(), nullptr));
}

sha256::~sha256() = default;
sha256::sha256(sha256&&) noexcept = default;
sha256& sha256::operator=(sha256&&) noexcept = default;

void sha256::add(const void* bytes, std::size_t size) {
  require(EVP_DigestUpdate(context_->state.get(), bytes, size));
}

std::string sha256::finish() {
  unsigned char sum[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  require(EVP_DigestFinal_ex(context_->state.get(), sum, &size));
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (unsigned i = 0; i < size; ++i) {
    result += digits[sum[i] >> 4];
    result += digits[sum[i] & 15U];
  }
  return result;
}

std::string sha256_hex(std::string_view bytes) {
  sha256 sum;
  sum.add(bytes);
  return sum.finish();
}

} // namespace actorpipe
