// SPDX-License-Identifier: Apache-2.0
/// Dials links in a thread of its own, and awaits those that others dial.
#pragma once

#include "actors/link/dial.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace actorpipe {

/// Works on the latest task alone. Its functions never wait for the network,
/// except `stop` and the destructor, for one call at most.
class link_dialer {
public:
  struct call {
    link_dial_options options;
    link_greeting greeting;
  };

  /// A link is open; called by the dialer's thread.
  using opened = std::function<void(const link_greeting&, link_stream)>;
  /// A task has ended, with what failed; empty: every link is there. Called by
  /// the dialer's thread; not for a task that another one has replaced.
  using ended =
    std::function<void(std::uint64_t attempt, const std::string& failure)>;

  link_dialer(opened on_opened, ended on_ended);
  ~link_dialer();
  link_dialer(const link_dialer&) = delete;
  link_dialer& operator=(const link_dialer&) = delete;

  /// Makes all `calls`, then waits until `missing` says that nothing is: for
  /// ten seconds at most.
  void dial(std::uint64_t attempt, std::vector<call> calls,
            std::function<std::string()> missing);

  /// What `missing` says may have changed.
  void note_change();

  /// Ends the thread; nothing is called afterwards.
  void stop();

private:
  struct task {
    std::uint64_t attempt = 0;
    std::vector<call> calls;
    std::function<std::string()> missing;
  };

  void run();
  /// What failed; empty text: nothing; no text: the task was replaced.
  std::optional<std::string> work(const task& what);

  opened on_opened_;
  ended on_ended_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<task> next_;
  std::uint64_t changes_ = 0;
  bool stopped_ = false;
  std::thread thread_; // last: it uses the others
};

} // namespace actorpipe
