// SPDX-License-Identifier: Apache-2.0
/// What tells a serving process to end: a signal, or the end of its standard
/// input.
#pragma once

#include <functional>
#include <thread>

namespace actorpipe {

/// Made before any other thread, so that signals come to it alone.
class end_watch {
public:
  /// From now on SIGTERM, SIGINT and SIGHUP wait until `start`. Throws
  /// std::runtime_error.
  end_watch();

  end_watch(const end_watch&) = delete;
  end_watch& operator=(const end_watch&) = delete;

  ~end_watch();

  /// Calls `end` once, from a thread of its own, when one of them comes, or
  /// with `reads_input` when standard input has ended. Ends the process when
  /// this object is still there some seconds later: whatever hangs, no process
  /// is left behind.
  void start(bool reads_input, std::function<void()> end);

private:
  void watch(bool reads_input, const std::function<void()>& end);

  int signals_ = -1;
  int wake_ = -1;
  std::jthread thread_;
};

} // namespace actorpipe
