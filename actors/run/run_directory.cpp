// SPDX-License-Identifier: Apache-2.0
/// Where a run keeps everything that it writes.
#include "actors/run/run_directory.hpp"

#include "actors/process_facts.hpp"

#include "actors/run/checkpoint_folder.hpp"
#include "compute/io/io_error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <sys/file.h>
#include <unistd.h>

namespace actorpipe {

namespace fs = std::filesystem;

namespace {

bool holds_run(const fs::path& path) {
  std::error_code not_there;
  return fs::exists(path / "config.toml", not_there)
      || fs::exists(path / "checkpoints", not_there);
}

void require_free(const fs::path& path) {
  if (holds_run(path))
    throw run_directory_error(fmt::format(
      "{}: a run stands there already; go on with --resume {}, or choose "
      "another place with --set run.out=...",
      path.string(), path.string()));
}

// What stands in the file while this process holds its lock.
std::string this_process() {
  return fmt::format("pid {} on {}", ::getpid(), host_name());
}

// Who holds the lock, as far as it says so.
std::string holder_of(const fs::path& lock) {
  std::ifstream file(lock);
  std::string line;
  constexpr std::size_t longest = 300;
  return std::getline(file, line) && !line.empty() && line.size() < longest
         ? fmt::format(" ({})", line)
         : std::string();
}

} // namespace

run_directory::run_directory(fs::path path)
  : path_(std::move(path)),
    lock_(path_ / "lock", file_descriptor::mode::append) {
  if (::flock(lock_.number(), LOCK_EX | LOCK_NB) == 0) {
    const auto self = this_process() + '\n';
    if (::ftruncate(lock_.number(), 0) != 0)
      throw io_error(lock_.path().string(), "empty", errno);
    lock_.write(self.data(), self.size());
    return;
  }
  if (errno == EWOULDBLOCK)
    throw run_directory_error(
      fmt::format("{}: another process is running there{}", path_.string(),
                  holder_of(lock_.path())));
  throw io_error(lock_.path().string(), "lock", errno);
}

run_directory run_directory::create(const fs::path& path) {
  require_free(path);
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    throw run_directory_error(
      fmt::format("{}: cannot be made: {}", path.string(), error.message()));
  run_directory result(path);
  // Another process may have begun and ended a run there in between.
  require_free(path);
  return result;
}

run_directory run_directory::open(const fs::path& path) {
  if (!holds_run(path))
    throw run_directory_error(
      fmt::format("{}: no run stands there", path.string()));
  return run_directory(path);
}

fs::path free_run_directory(const fs::path& wanted) {
  auto result = wanted;
  for (int i = 2; holds_run(result); ++i)
    result = wanted.string() + "-" + std::to_string(i);
  return result;
}

resume_point find_resume_point(const fs::path& path) {
  if (path.empty())
    throw run_directory_error(
      "the name of the run directory or checkpoint is empty");
  // Without a last separator, so that its parents have names.
  auto plain = fs::absolute(path).lexically_normal();
  if (plain.filename().empty())
    plain = plain.parent_path();
  if (fs::exists(plain / "manifest.json")) {
    const auto around = plain.parent_path().parent_path();
    return {holds_run(around) ? around : fs::path(), plain};
  }
  if (holds_run(plain))
    return {plain, {}};
  throw run_directory_error(fmt::format(
    "{}: is neither a run directory nor a checkpoint", path.string()));
}

checkpoint load_run_checkpoint(const fs::path& path) {
  const auto from = find_resume_point(path);
  if (!from.checkpoint.empty())
    return load_checkpoint(from.checkpoint);
  auto newest = load_newest_checkpoint(from.directory / "checkpoints");
  if (!newest)
    throw run_directory_error(
      fmt::format("{}: the run has saved no checkpoint", path.string()));
  return std::move(*newest);
}

} // namespace actorpipe
