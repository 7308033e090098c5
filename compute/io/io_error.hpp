// SPDX-License-Identifier: Apache-2.0
/// What the system refused to do with a file.
#pragma once

#include <stdexcept>
#include <string>

namespace actorpipe {

/// A failed call to the system: the message has the path, what was tried, and
/// the system's reason.
class io_error : public std::runtime_error {
public:
  /// `error_number` as `errno` gives it.
  io_error(const std::string& path, const std::string& action,
           int error_number);

  const std::string& path() const noexcept { return path_; }
  int error_number() const noexcept { return error_number_; }

private:
  std::string path_;
  int error_number_;
};

/// Bytes in a file that are not what they should be: truncated, damaged, or of
/// another format. The message has the path.
class format_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace actorpipe
