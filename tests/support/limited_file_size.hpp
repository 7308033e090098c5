// SPDX-License-Identifier: Apache-2.0
/// A disk that is full: no file of the process may grow beyond a size.
#pragma once

#include <csignal>
#include <sys/resource.h>

namespace actorpipe {

/// While it lives, writing beyond `bytes` of a file fails with EFBIG, as it
/// would with ENOSPC on a full disk. Needs no privileges.
class limited_file_size {
public:
  explicit limited_file_size(rlim_t bytes) {
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~limited_file_size() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }
  limited_file_size(const limited_file_size&) = delete;
  limited_file_size& operator=(const limited_file_size&) = delete;

private:
  rlimit old_{};
  void (*old_handler_)(int) = nullptr;
};

} // namespace actorpipe
