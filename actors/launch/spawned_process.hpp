// SPDX-License-Identifier: Apache-2.0
/// A program that this process has started, with its three streams.
#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace actorpipe {

/// In a process group of its own, so that it does not get what is typed at the
/// terminal. Its standard input stays open as long as this object and this
/// process live. Not for several threads at once, but for `send`.
class spawned_process {
public:
  /// Starts `command`, whose first word is a path, or a name to find on PATH.
  /// It has this process's environment. Throws std::runtime_error that names
  /// the program.
  explicit spawned_process(const std::vector<std::string>& command);

  /// Kills it if it has not ended.
  ~spawned_process();

  spawned_process(const spawned_process&) = delete;
  spawned_process& operator=(const spawned_process&) = delete;

  pid_t pid() const noexcept { return pid_; }

  /// What it prints, to read from; without blocking.
  int out() const noexcept { return out_; }
  int err() const noexcept { return err_; }

  /// Readable once it has ended.
  int ended() const noexcept { return ended_; }

  /// Writes all of it to its standard input; false when it does not read.
  bool write_input(std::string_view text);

  /// It reads the end of its standard input.
  void close_input() noexcept;

  /// Only before `wait`.
  void send(int signal) const noexcept;

  /// Awaits its end. Returns what `waitpid` says.
  int wait() noexcept;

private:
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  int err_ = -1;
  int ended_ = -1;
};

/// Such as "ended with exit code 1" or "was killed by signal 9 (Killed)".
std::string describe_end(int status);

} // namespace actorpipe
