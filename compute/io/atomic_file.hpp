// SPDX-License-Identifier: Apache-2.0
/// A file that is there whole or not at all.
#pragma once

#include "compute/io/file_descriptor.hpp"

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace actorpipe {

/// Written aside (as `<path>.partial`) and renamed to `path` by `commit`, so
/// that at every instant `path` is the old file or the new one. Without a
/// commit the destructor removes what was written, and the old file stays.
///
/// All functions throw `io_error`. Used by one thread at a time; two writers of
/// one path are not allowed.
///
///     atomic_file out("metrics.json");
///     out.write(text);
///     out.commit();
class atomic_file {
public:
  explicit atomic_file(std::filesystem::path path);
  ~atomic_file();
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;

  void write(const void* bytes, std::size_t size);
  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }

  /// Makes the bytes durable, renames, and makes the name durable.
  void commit();

private:
  std::filesystem::path path_;
  std::filesystem::path aside_;
  file_descriptor file_;
  bool committed_ = false;
};

/// Writes a whole file in one go.
void write_file_atomically(const std::filesystem::path& path,
                           std::string_view bytes);

} // namespace actorpipe
