// SPDX-License-Identifier: Apache-2.0
/// An open file or folder of the system.
#include "compute/io/file_descriptor.hpp"

#include "compute/io/io_error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace actorpipe {

namespace {

// Linux moves at most this much in one call; larger counts are legal elsewhere
// but not better.
constexpr std::size_t largest_call_bytes = std::size_t{1} << 30;

int flags_of(file_descriptor::mode how) {
  switch (how) {
  case file_descriptor::mode::read:
    return O_RDONLY;
  case file_descriptor::mode::replace:
    return O_WRONLY | O_CREAT | O_TRUNC;
  case file_descriptor::mode::append:
    return O_WRONLY | O_CREAT | O_APPEND;
  }
  return O_RDONLY;
}

} // namespace

file_descriptor::file_descriptor(std::filesystem::path path, mode how)
  : path_(std::move(path)) {
  do
    number_ = ::open(path_.c_str(), flags_of(how) | O_CLOEXEC, 0666);
  while (number_ < 0 && errno == EINTR);
  if (number_ < 0)
    throw io_error(path_.string(), how == mode::read ? "open" : "create",
                   errno);
}

file_descriptor::~file_descriptor() {
  if (number_ >= 0)
    ::close(number_);
}

file_descriptor::file_descriptor(file_descriptor&& other) noexcept
  : path_(std::move(other.path_)), number_(std::exchange(other.number_, -1)) {}

std::uint64_t file_descriptor::size_bytes() const {
  struct stat status {};
  if (::fstat(number_, &status) != 0)
    throw io_error(path_.string(), "ask for the size", errno);
  return static_cast<std::uint64_t>(status.st_size);
}

std::size_t file_descriptor::read(void* bytes, std::size_t size,
                                  std::uint64_t offset) const {
  std::size_t done = 0;
  while (done < size) {
    const auto got = ::pread(number_, static_cast<char*>(bytes) + done,
                             std::min(size - done, largest_call_bytes),
                             static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      throw io_error(path_.string(), "read", errno);
    if (got == 0)
      break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void file_descriptor::write(const void* bytes, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const auto got = ::write(number_, static_cast<const char*>(bytes) + done,
                             std::min(size - done, largest_call_bytes));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      throw io_error(path_.string(), "write", errno);
    done += static_cast<std::size_t>(got);
  }
}

void file_descriptor::sync() {
  if (::fsync(number_) != 0)
    throw io_error(path_.string(), "make durable", errno);
}

void file_descriptor::close() {
  if (::close(std::exchange(number_, -1)) != 0)
    throw io_error(path_.string(), "close", errno);
}

void sync_folder(const std::filesystem::path& folder) {
  // The folder of a bare name is the current one.
  file_descriptor(folder.empty() ? "." : folder, file_descriptor::mode::read)
    .sync();
}

void rename_path(const std::filesystem::path& from,
                 const std::filesystem::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0)
    throw io_error(to.string(), "put " + from.string() + " in its place",
                   errno);
}

void exchange_paths(const std::filesystem::path& from,
                    const std::filesystem::path& to) {
  std::error_code error;
  const auto present = std::filesystem::symlink_status(to, error);
  if (present.type() == std::filesystem::file_type::none)
    throw io_error(to.string(), "look at", error.value());
  if (std::filesystem::exists(present)) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                    RENAME_EXCHANGE)
        == 0)
      return;
    if (errno != EINVAL && errno != ENOSYS)
      throw io_error(to.string(), "exchange with " + from.string(), errno);
    std::filesystem::remove_all(to, error);
    if (error)
      throw io_error(to.string(), "remove", error.value());
  }
  rename_path(from, to);
}

} // namespace actorpipe
