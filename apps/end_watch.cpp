// SPDX-License-Identifier: Apache-2.0
/// Waiting for signals and for the end of standard input.
#include "apps/end_watch.hpp"

#include "apps/commands.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <poll.h>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace actorpipe {

namespace {

constexpr int patience_ms = 3000;

int checked(int result, const char* what) {
  if (result < 0)
    throw std::system_error(errno, std::generic_category(), what);
  return result;
}

} // namespace

end_watch::end_watch() {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP})
    sigaddset(&ends, signal);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  signals_ = checked(::signalfd(-1, &ends, SFD_CLOEXEC), "signalfd");
  wake_ = checked(::eventfd(0, EFD_CLOEXEC), "eventfd");
}

end_watch::~end_watch() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto done = ::write(wake_, &one, sizeof one);
    thread_.join();
  }
  ::close(signals_);
  ::close(wake_);
}

void end_watch::start(bool reads_input, std::function<void()> end) {
  thread_ = std::jthread(
    [this, reads_input, end = std::move(end)] { watch(reads_input, end); });
}

void end_watch::watch(bool reads_input, const std::function<void()>& end) {
  pollfd sources[] = {{signals_, POLLIN, 0},
                      {wake_, POLLIN, 0},
                      {reads_input ? STDIN_FILENO : -1, POLLIN, 0}};
  for (;;) {
    if (::poll(sources, std::size(sources), -1) < 0)
      continue;
    if (sources[1].revents != 0)
      return;
    if (sources[0].revents != 0)
      break;
    if (sources[2].revents != 0) {
      char unused[4096];
      const auto got = ::read(STDIN_FILENO, unused, sizeof unused);
      if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
        break;
    }
  }
  end();
  pollfd gone{wake_, POLLIN, 0};
  if (::poll(&gone, 1, patience_ms) != 0)
    return;
  constexpr std::string_view text = "actorpipe: something does not end; the "
                                    "process ends without it\n";
  [[maybe_unused]] const auto done =
    ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(exit_ok);
}

} // namespace actorpipe
