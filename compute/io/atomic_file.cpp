// SPDX-License-Identifier: Apache-2.0
/// A file that is there whole or not at all.
#include "compute/io/atomic_file.hpp"

namespace actorpipe {

atomic_file::atomic_file(std::filesystem::path path)
  : path_(std::move(path)), aside_(path_.string() + ".partial"),
    file_(aside_, file_descriptor::mode::replace) {}

atomic_file::~atomic_file() {
  std::error_code ignored;
  if (!committed_)
    std::filesystem::remove(aside_, ignored);
}

void atomic_file::write(const void* bytes, std::size_t size) {
  file_.write(bytes, size);
}

void atomic_file::commit() {
  file_.sync();
  file_.close();
  rename_path(aside_, path_);
  committed_ = true;
  sync_folder(path_.parent_path());
}

void write_file_atomically(const std::filesystem::path& path,
                           std::string_view bytes) {
  atomic_file out(path);
  out.write(bytes);
  out.commit();
}

} // namespace actorpipe
