// SPDX-License-Identifier: Apache-2.0
/// A program that a test starts, watches, interrupts and reads to its end.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace actorpipe::test {

struct process_options {
  std::filesystem::path folder; ///< where it runs; empty: here
  /// No file that it writes may grow beyond this: a disk that is full.
  std::optional<std::uint64_t> file_size_bytes;
  /// Its output is a terminal of so many columns; else a pipe.
  std::optional<unsigned short> terminal_columns;
  /// Its output is this file; none of it is read here.
  std::filesystem::path output;
};

/// How a program ended, and what it printed.
struct process_end {
  int code = -1; ///< its exit code, or 128 and the signal that ended it
  std::string out;
  std::string err;
};

/// Killed when the test leaves it alone. The pipe from it holds one page, so
/// that a program that prints cannot run far ahead of what was read.
/// All functions throw `std::system_error`.
class child_process {
public:
  child_process(const std::vector<std::string>& command,
                const process_options& options);
  ~child_process();
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;

  /// Reads on until the output, all of it, holds `text` so often. False when
  /// the program ends before that.
  bool read_until(std::string_view text, std::size_t times = 1);

  /// Reads on until that much time is over or the program ends.
  void read_for(std::chrono::microseconds duration);

  /// What was read so far.
  const std::string& output() const noexcept { return end_.out; }

  void send(int signal) const;

  /// Sends the signal again and again, reading nothing, until it has ended.
  /// False when a million times did not help.
  bool send_until_end(int signal);

  /// Reads the rest and awaits the end.
  process_end finish();

private:
  // Reads what is there within the time, or whenever it comes; false at the
  // end of both streams.
  bool read_some(std::optional<std::chrono::microseconds> limit);
  void reap();

  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  process_end end_;
};

} // namespace actorpipe::test
