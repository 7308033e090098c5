// SPDX-License-Identifier: Apache-2.0
/// The clock, random numbers and the host's name.
#include "actors/process_facts.hpp"

#include <chrono>
#include <random>
#include <unistd.h>

namespace actorpipe {

std::int64_t steady_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
           std::chrono::steady_clock::now().time_since_epoch())
    .count();
}

std::uint64_t draw_id() {
  std::random_device source;
  return (std::uint64_t{source()} << 32 | source()) | 1;
}

std::string host_name() {
  char result[256] = {};
  return gethostname(result, sizeof result - 1) == 0 ? result : "";
}

} // namespace actorpipe
