// SPDX-License-Identifier: Apache-2.0
/// Keeps a peer that has gone from ending the process.
#pragma once

#include <csignal>
#include <ctime>

namespace actorpipe {

/// OpenSSL writes to sockets without MSG_NOSIGNAL: while one lives, a peer that
/// has gone sends this thread no signal.
class without_sigpipe {
public:
  without_sigpipe() {
    sigset_t pending;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }

  without_sigpipe(const without_sigpipe&) = delete;
  without_sigpipe& operator=(const without_sigpipe&) = delete;

  ~without_sigpipe() {
    const timespec at_once{0, 0};
    if (!was_pending_)
      sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

} // namespace actorpipe
