// SPDX-License-Identifier: Apache-2.0
/// The signal handler; signals are process-wide, and so is its counter.
#include "apps/interrupt.hpp"

#include "apps/commands.hpp"

#include <atomic>
#include <csignal>
#include <unistd.h>

namespace actorpipe {

namespace {

// Atomic, since two signals may come to two threads at once.
std::atomic<int> interrupts{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void on_interrupt(int) {
  if (++interrupts > 1)
    _exit(exit_interrupted);
}

} // namespace

void note_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool was_interrupted() {
  return interrupts > 0;
}

} // namespace actorpipe
