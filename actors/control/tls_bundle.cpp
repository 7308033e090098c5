// SPDX-License-Identifier: Apache-2.0
/// Certificates through a pipe and in memory.
#include "actors/control/tls_bundle.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace actorpipe {

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;

std::string read_file(const char* what, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.empty())
    throw std::invalid_argument(
      fmt::format("{} {}: cannot be read, or is empty", what, path));
  if (!text.ends_with('\n'))
    text += '\n';
  return text;
}

int in_memory(const char* name, std::string_view text) {
  const int file = ::memfd_create(name, MFD_CLOEXEC);
  if (file >= 0
      && ::write(file, text.data(), text.size())
           == static_cast<ssize_t>(text.size()))
    return file;
  const auto why = errno;
  if (file >= 0)
    ::close(file);
  throw std::runtime_error(fmt::format("the {} cannot be kept in memory: {}",
                                       name, std::strerror(why)));
}

std::string path_of(int file) {
  return "/proc/self/fd/" + std::to_string(file);
}

// The end of the block that begins at `at`, one after its last line.
std::size_t end_of_block(const std::string& text, std::size_t at) {
  const auto end = text.find("-----END ", at);
  const auto line = end == text.npos ? end : text.find('\n', end);
  return line == text.npos ? text.size() : line + 1;
}

} // namespace

tls_texts read_texts(const tls_files& files) {
  return {read_file("certificate", files.certificate),
          read_file("key", files.key), read_file("authority", files.authority)};
}

std::string to_bundle(const tls_texts& texts) {
  return texts.certificate + texts.key + texts.authority + ".\n";
}

tls_texts read_bundle(const std::function<int()>& read_byte) {
  std::string text;
  while (text != ".\n" && !text.ends_with("\n.\n")) {
    const int byte = read_byte();
    if (byte < 0)
      throw std::invalid_argument("the certificates end before the line with "
                                  "a dot");
    text += static_cast<char>(byte);
    if (text.size() > most_bytes)
      throw std::invalid_argument(
        fmt::format("the certificates have more than {} bytes", most_bytes));
  }
  text.resize(text.size() - 2);
  // The key stands between the certificates of this process and the rest.
  auto key = text.find(" PRIVATE KEY-----");
  if (key == text.npos)
    key = text.size();
  const auto line = text.rfind("-----BEGIN", key);
  key = line == text.npos ? text.size() : line;
  const auto rest = end_of_block(text, key);
  tls_texts result{text.substr(0, key), text.substr(key, rest - key),
                   text.substr(rest)};
  if (result.certificate.empty() || result.key.empty()
      || result.authority.empty())
    throw std::invalid_argument(
      "a certificate, its key and the authority's certificate are expected in "
      "PEM form, in this order");
  return result;
}

tls_in_memory::tls_in_memory(const tls_texts& texts) {
  auto& [certificate, key, authority] = numbers_;
  try {
    certificate = in_memory("certificate", texts.certificate);
    key = in_memory("key", texts.key);
    authority = in_memory("authority", texts.authority);
  } catch (...) {
    for (const int file : numbers_)
      if (file >= 0)
        ::close(file);
    throw;
  }
  files_ = {path_of(certificate), path_of(key), path_of(authority)};
}

tls_in_memory::~tls_in_memory() {
  for (const int file : numbers_)
    ::close(file);
}

void tls_in_memory::keep_for_exec() const {
  for (const int file : numbers_)
    ::fcntl(file, F_SETFD, 0);
}

} // namespace actorpipe
