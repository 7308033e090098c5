// SPDX-License-Identifier: Apache-2.0
/// A node's process that a launcher starts, watches, starts anew and ends.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace actorpipe {

class spawned_process;

/// A node that does not come up. The message says what it printed.
class launch_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct launched_node_options {
  std::string name; ///< for people, such as "node 2"
  /// The words that start it so that it listens at "HOST:PORT".
  std::function<std::vector<std::string>(const std::string& listen)> command;
  std::string listen; ///< at first; with port 0 for a free one
  std::string input;  ///< what it reads first from its standard input
  /// Start it again, at the address that it had, when it ends by itself.
  bool restarts = false;
  /// How long its end is awaited after each, less kind, request.
  std::chrono::nanoseconds patience = std::chrono::seconds(5);
  /// Told of its ends; as the next one, called from a thread of its own.
  std::function<void(const std::string&)> log;
  /// Told of each line that it prints to standard error.
  std::function<void(const std::string&)> printed;
};

/// Deaths within a minute after which a node is left dead.
inline constexpr std::size_t most_deaths = 5;

/// Has a thread that reads what the process prints. The process ends with this
/// object, and with the process that holds it: its standard input does.
class launched_node {
public:
  explicit launched_node(launched_node_options options);

  launched_node(const launched_node&) = delete;
  launched_node& operator=(const launched_node&) = delete;

  /// `stop`, and awaits the end: kindly first, then not.
  ~launched_node();

  /// Waits until it listens; returns "HOST:PORT" as it printed it. Empty when
  /// it is not there by `deadline`. Throws `launch_error` when it has ended.
  std::optional<std::string>
  address(std::chrono::steady_clock::time_point deadline);

  /// What it has printed to standard error last.
  std::string errors() const;

  /// Asks it to end, and does not wait.
  void stop() noexcept;

private:
  void run();
  // One process from its start to its end; returns how it ended.
  std::string run_once();
  void take_output(std::string& unread, const char* bytes, std::size_t size);
  void take_errors(std::string& unread, const char* bytes, std::size_t size);
  // Whether it may be started again after a death now.
  bool may_restart(const std::string& how);

  launched_node_options options_;
  int wake_ = -1; ///< readable once it is to end
  std::atomic<bool> stopping_{false};

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::string> address_;
  std::optional<std::string> end_; ///< it is not there any more, and why
  std::deque<std::string> errors_; ///< the last lines

  std::deque<std::chrono::steady_clock::time_point> deaths_;
  std::jthread thread_; ///< last: it uses everything above
};

} // namespace actorpipe
