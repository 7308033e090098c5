// SPDX-License-Identifier: Apache-2.0
/// Certificate, key and authority as one text, and as files that never touch a
/// disk.
#pragma once

#include "actors/control/tls_files.hpp"

#include <array>
#include <functional>
#include <string>

namespace actorpipe {

/// The contents of `tls_files`, in PEM.
struct tls_texts {
  std::string certificate;
  std::string key;
  std::string authority;

  friend bool operator==(const tls_texts&, const tls_texts&) = default;
};

/// Throws std::invalid_argument that names a file that cannot be read.
tls_texts read_texts(const tls_files& files);

/// One text, for a pipe: the three after each other, and a line with a dot.
std::string to_bundle(const tls_texts& texts);

/// Reads what `to_bundle` gave, up to the line with the dot and no byte more.
/// `read_byte` returns the next byte, or a negative number at the end. Throws
/// std::invalid_argument when that comes early, when a part is missing, and for
/// more than 1 MiB.
tls_texts read_bundle(const std::function<int()>& read_byte);

/// Holds the three in memory, under paths that this process can open. Nothing
/// is left when it ends, however that happens. A process that replaces this one
/// by `exec` finds them under the same paths.
class tls_in_memory {
public:
  /// Throws std::runtime_error without memory for it.
  explicit tls_in_memory(const tls_texts& texts);
  ~tls_in_memory();
  tls_in_memory(const tls_in_memory&) = delete;
  tls_in_memory& operator=(const tls_in_memory&) = delete;

  const tls_files& files() const noexcept { return files_; }

  /// From now on a program that is started by `exec` has them too.
  void keep_for_exec() const;

private:
  std::array<int, 3> numbers_{-1, -1, -1};
  tls_files files_;
};

} // namespace actorpipe
