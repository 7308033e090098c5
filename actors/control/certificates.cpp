// SPDX-License-Identifier: Apache-2.0
/// X.509 version 3 certificates by OpenSSL.
#include "actors/control/certificates.hpp"

#include "actors/control/openssl_handles.hpp"

#include <fmt/format.h>
#include <openssl/pem.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace actorpipe {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& where, std::string_view why) {
  throw std::runtime_error(
    fmt::format("cannot write {}: {}", where.string(), why));
}

void need(bool done, const char* what) {
  if (!done)
    throw std::runtime_error(
      fmt::format("cannot {}: {}", what, openssl::take_error()));
}

/// `mode` from the first moment on, and never through a link or over a file.
void write_new(const fs::path& path, std::string_view text, mode_t mode) {
  const auto file =
    ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0)
    fail(path, std::strerror(errno));
  while (!text.empty()) {
    const auto count = ::write(file, text.data(), text.size());
    if (count < 0) {
      const auto error = errno;
      ::close(file);
      ::unlink(path.c_str());
      fail(path, std::strerror(error));
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  ::close(file);
}

template <class Write>
void write_pem(const fs::path& path, mode_t mode, Write write) {
  const openssl::bio memory(BIO_new(BIO_s_mem()));
  need(memory != nullptr && write(memory.get()) == 1, "encode as PEM");
  char* text = nullptr;
  const auto size = BIO_get_mem_data(memory.get(), &text);
  write_new(path, {text, static_cast<std::size_t>(size)}, mode);
}

void write_pair(const fs::path& certificate_path, const fs::path& key_path,
                X509* certificate, EVP_PKEY* key) {
  write_pem(key_path, 0600, [&](BIO* to) {
    return PEM_write_bio_PrivateKey(to, key, nullptr, nullptr, 0, nullptr,
                                    nullptr);
  });
  write_pem(certificate_path, 0644,
            [&](BIO* to) { return PEM_write_bio_X509(to, certificate); });
}

void make_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    fail(folder, std::strerror(errno));
}

template <class T, class Read>
T read_pem(const std::string& path, Read read) {
  const openssl::bio file(BIO_new_file(path.c_str(), "r"));
  T result(file ? read(file.get(), nullptr, nullptr, nullptr) : nullptr);
  if (!result)
    throw std::runtime_error(
      fmt::format("cannot read {}: {}", path, openssl::take_error()));
  return result;
}

openssl::key make_key() {
  openssl::key result(EVP_EC_gen("P-256"));
  need(result != nullptr, "make a key");
  return result;
}

void add_extension(X509* to, X509* issuer, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  const openssl::extension made(
    X509V3_EXT_conf_nid(nullptr, &context, kind, value));
  need(made != nullptr && X509_add_ext(to, made.get(), -1) == 1,
       "extend a certificate");
}

/// Everything but what says what it is for, and the signature.
openssl::certificate begin_certificate(const std::string& name, EVP_PKEY* key,
                                       validity when) {
  openssl::certificate result(X509_new());
  const openssl::number serial(BN_new());
  auto* x = result.get();
  need(
    x != nullptr && serial != nullptr && X509_set_version(x, 2) == 1
      && BN_rand(serial.get(), 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1
      && BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(x)) != nullptr
      && X509_gmtime_adj(X509_getm_notBefore(x), when.begins_in.count())
           != nullptr
      && X509_gmtime_adj(X509_getm_notAfter(x), when.ends_in.count()) != nullptr
      && X509_set_pubkey(x, key) == 1
      && X509_NAME_add_entry_by_txt(
           X509_get_subject_name(x), "CN", MBSTRING_ASC,
           reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0)
           == 1,
    "make a certificate");
  return result;
}

void sign(X509* x, X509* issuer, EVP_PKEY* key) {
  need(X509_set_issuer_name(x, X509_get_subject_name(issuer)) == 1,
       "name the authority");
  add_extension(x, issuer, NID_subject_key_identifier, "hash");
  add_extension(x, issuer, NID_authority_key_identifier, "keyid:always");
  need(X509_sign(x, key, EVP_sha256()) > 0, "sign a certificate");
}

void check_name(std::string_view name) {
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.'
        || c == '_' || c == '-';
  };
  bool good = !name.empty() && name.size() <= 64
           && std::isalnum(static_cast<unsigned char>(name.front())) != 0;
  for (const char c : name)
    good = good && allowed(c);
  if (!good)
    throw std::invalid_argument(fmt::format(
      "\"{}\" is no name for a certificate: allowed are 1 to 64 letters, "
      "digits, dots, underscores and dashes, the first a letter or digit",
      name));
}

} // namespace

authority_files make_authority(const fs::path& folder, validity when) {
  make_folder(folder);
  const auto key = make_key();
  const auto made = begin_certificate("actorpipe authority", key.get(), when);
  auto* x = made.get();
  add_extension(x, x, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add_extension(x, x, NID_key_usage, "critical,keyCertSign,cRLSign");
  sign(x, x, key.get());
  const authority_files result{folder / "authority.pem",
                               folder / "authority-key.pem"};
  write_pair(result.certificate, result.key, x, key.get());
  return result;
}

tls_files make_certificate(const fs::path& folder,
                           const authority_files& authority,
                           std::string_view name, validity when) {
  check_name(name);
  const auto issuer =
    read_pem<openssl::certificate>(authority.certificate, PEM_read_bio_X509);
  const auto issuer_key =
    read_pem<openssl::key>(authority.key, PEM_read_bio_PrivateKey);
  make_folder(folder);
  const auto key = make_key();
  const auto made = begin_certificate(std::string(name), key.get(), when);
  auto* x = made.get();
  add_extension(x, issuer.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(x, issuer.get(), NID_key_usage, "critical,digitalSignature");
  add_extension(x, issuer.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  sign(x, issuer.get(), issuer_key.get());
  const tls_files result{folder / fmt::format("{}.pem", name),
                         folder / fmt::format("{}-key.pem", name),
                         authority.certificate};
  write_pair(result.certificate, result.key, x, key.get());
  return result;
}

one_run_authority::one_run_authority() {
  auto pattern = (fs::temp_directory_path() / "actorpipe-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    fail(pattern, std::strerror(errno));
  folder_ = pattern;
  try {
    authority_ = make_authority(folder_);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    throw;
  }
}

one_run_authority::~one_run_authority() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

tls_files one_run_authority::make(std::string_view name) const {
  return make_certificate(folder_, authority_, name);
}

} // namespace actorpipe
