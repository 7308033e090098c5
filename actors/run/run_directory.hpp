// SPDX-License-Identifier: Apache-2.0
/// Where a run keeps everything that it writes.
///
///     <run.out>/
///       config.toml      all settings of the run, as it was started last
///       metrics.jsonl    one line a step
///       trace.json       the last steps, as Chrome trace events
///       checkpoints/     see `checkpoint.hpp`
///       lock             held while a process runs there, which it names
#pragma once

#include "actors/run/checkpoint.hpp"
#include "compute/io/file_descriptor.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>

namespace actorpipe {

/// A run directory that cannot be used; the message names it and the way out.
class run_directory_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// One run's directory, held by one process at a time: another one that wants
/// it gets an error that names the process and its host. A killed process lets
/// go of it.
class run_directory {
public:
  /// Makes a directory for a new run. Throws `run_directory_error` when a run
  /// stands there already
  /// or it cannot be made, and `io_error`.
  static run_directory create(const std::filesystem::path& path);

  /// Opens the directory of an earlier run. Throws `run_directory_error` when
  /// there is none.
  static run_directory open(const std::filesystem::path& path);

  const std::filesystem::path& path() const noexcept { return path_; }
  std::filesystem::path config_file() const { return path_ / "config.toml"; }
  std::filesystem::path metrics_file() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path trace_file() const { return path_ / "trace.json"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }

private:
  explicit run_directory(std::filesystem::path path);

  std::filesystem::path path_;
  file_descriptor lock_;
};

/// `wanted`, or `wanted` with "-2", "-3", ... where a run stands there.
std::filesystem::path free_run_directory(const std::filesystem::path& wanted);

/// Where a run is to go on from.
struct resume_point {
  std::filesystem::path directory;  ///< of the run; empty: none is around it
  std::filesystem::path checkpoint; ///< the one named; empty: the newest
};

/// Tells a run directory from a checkpoint in one. Throws
/// `run_directory_error` for a path that is neither.
resume_point find_resume_point(const std::filesystem::path& path);

/// Reads the checkpoint that `path` names. Throws `run_directory_error` when
/// there is none, and what `load_checkpoint` throws.
checkpoint load_run_checkpoint(const std::filesystem::path& path);

} // namespace actorpipe
