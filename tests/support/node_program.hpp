// SPDX-License-Identifier: Apache-2.0
/// `actorpipe node` in a process of its own, for tests that disturb it.
#pragma once

#include "actors/control/tls_files.hpp"

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace actorpipe::test {

struct node_program_options {
  std::string listen = "127.0.0.1:0";
  std::size_t devices = 1;
  std::optional<tls_files> tls;         ///< empty: plain text
  std::vector<std::string> arguments;   ///< more of them
  std::vector<std::string> environment; ///< "NAME=VALUE", beside the test's
  std::vector<std::string> before;      ///< words before the program's path
  /// Started again at once whenever it ends, as a launcher would.
  bool restarts = false;
};

/// Has a thread that starts the process and awaits its end. The process is
/// killed with this object, and with the test.
class node_program {
public:
  /// `program` is the path of `actorpipe`. Returns when the node listens.
  /// Throws `std::runtime_error`.
  node_program(std::string program, node_program_options options);
  ~node_program();
  node_program(const node_program&) = delete;
  node_program& operator=(const node_program&) = delete;

  /// "HOST:PORT"; the same whenever it is started again.
  std::string address() const;

  /// To the present process, if there is one.
  void signal(int number);

  /// SIGKILL, and awaits the end.
  void kill();

  /// Starts it again if it has ended; returns when it listens.
  void start();

  /// How many processes there were.
  std::size_t starts() const;

  /// What all of them have printed to standard error.
  std::string log() const;

private:
  void run();
  void run_once();
  std::string spawn_and_read(pid_t& process, int& output) const;
  void await_listening(std::unique_lock<std::mutex>& held);

  const std::string program_;
  node_program_options options_;
  const int log_; ///< a file in memory
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string address_;
  pid_t process_ = -1;     ///< listening; -1: none
  bool is_wanted_ = true;  ///< to be started
  bool is_ending_ = false; ///< this object
  std::size_t starts_ = 0;
  std::jthread guardian_; ///< last: uses all of the above
};

} // namespace actorpipe::test
