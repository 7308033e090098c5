// SPDX-License-Identifier: Apache-2.0
/// The signal handler; signals are process-wide, and so is its counter.
#include "apps/interrupt.hpp"

#include "apps/commands.hpp"

#include <csignal>
#include <unistd.h>

namespace actorpipe {

namespace {

volatile std::sig_atomic_t interrupts = 0;

extern "C" void on_interrupt(int) {
  interrupts = interrupts + 1;
  if (interrupts > 1)
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
