// SPDX-License-Identifier: Apache-2.0
/// Names a stream of counter-based random numbers.
#pragma once

#include <cstdint>
#include <string_view>

namespace actorpipe {

/// The key of a counter-based generator (Philox4x32-10: Salmon et al.,
/// "Parallel random numbers: as easy as 1, 2, 3", SC 2011). A random number is
/// a pure function of the key and a counter, never of what was drawn before.
struct random_key {
  std::uint64_t value = 0;
};

/// For what a layer draws in a step: (seed, step, layer). The sample and the
/// element within it are the counter.
random_key make_random_key(std::uint64_t seed, std::uint64_t step,
                           std::uint64_t layer) noexcept;

/// For what is drawn once for a name: (seed, name), as initial values are.
random_key make_random_key(std::uint64_t seed, std::string_view name) noexcept;

/// Four independent 32-bit numbers for one counter.
struct random_block {
  std::uint32_t values[4];
};
random_block draw(random_key key, std::uint64_t counter_low,
                  std::uint64_t counter_high) noexcept;

} // namespace actorpipe
