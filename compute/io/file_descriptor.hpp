// SPDX-License-Identifier: Apache-2.0
/// An open file or folder of the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace actorpipe {

/// Owns a descriptor. All functions throw `io_error`.
class file_descriptor {
public:
  enum class mode : std::uint8_t {
    read,    ///< of a file or folder that is there
    replace, ///< writes a file from its beginning, made if it is not there
    append,  ///< writes at the end of a file, made if it is not there
  };

  file_descriptor(std::filesystem::path path, mode how);
  ~file_descriptor();
  file_descriptor(file_descriptor&& other) noexcept;
  file_descriptor& operator=(file_descriptor&&) = delete;

  std::uint64_t size_bytes() const;

  /// Reads at most `size` bytes from `offset`; fewer at the file's end.
  std::size_t read(void* bytes, std::size_t size, std::uint64_t offset) const;

  /// Writes all of them.
  void write(const void* bytes, std::size_t size);

  /// Returns when everything that was written survives a power cut.
  void sync();

  /// Closes early, to learn whether that fails.
  void close();

  int number() const noexcept { return number_; }
  const std::filesystem::path& path() const noexcept { return path_; }

private:
  std::filesystem::path path_;
  int number_ = -1;
};

/// Makes the names in a folder durable: what was made, renamed or removed.
void sync_folder(const std::filesystem::path& folder);

/// `rename` of the system, which replaces files: throws `io_error`.
void rename_path(const std::filesystem::path& from,
                 const std::filesystem::path& to);

/// Renames `from` to `to`. Where `to` is there already, whatever it is, the two
/// change places in one instant (on a file system that cannot do that, `to` is
/// removed first). Throws `io_error`.
void exchange_paths(const std::filesystem::path& from,
                    const std::filesystem::path& to);

} // namespace actorpipe
