// SPDX-License-Identifier: Apache-2.0
/// Connections whose other ends have not shown who they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <mutex>

#include <sys/socket.h>

namespace actorpipe {

/// A list of sockets with a greatest length. Every function may be called from
/// any thread.
class strangers {
public:
  explicit strangers(std::size_t most) : most_(most) {
    // nop
  }

  /// Lists `socket`, which is not closed before it is removed. The oldest that
  /// is one too many is shut down, and whoever reads from it finds its end.
  void add(int socket) {
    const std::scoped_lock lock(mutex_);
    sockets_.push_back(socket);
    if (sockets_.size() <= most_)
      return;
    ::shutdown(sockets_.front(), SHUT_RDWR);
    sockets_.pop_front();
  }

  /// Does nothing for a socket that is not listed.
  void remove(int socket) {
    const std::scoped_lock lock(mutex_);
    std::erase(sockets_, socket);
  }

private:
  std::mutex mutex_;
  std::size_t most_;
  std::deque<int> sockets_; ///< oldest first
};

} // namespace actorpipe
