// SPDX-License-Identifier: Apache-2.0
/// The Philox4x32-10 function, and how bits become random numbers.
#pragma once

#include "compute/ops/random_key.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace actorpipe {

/// Four numbers for a 128-bit counter and a 64-bit key, each given in 32-bit
/// words, lowest first. (Salmon et al., SC 2011, section 3.3.)
[[gnu::always_inline]] inline random_block
philox(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2, std::uint32_t c3,
       std::uint32_t k0, std::uint32_t k1) noexcept {
  // Unrolled so that a loop over counters has no loop inside and can be turned
  // into vector code.
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const auto even = std::uint64_t{0xD2511F53U} * c0;
    const auto odd = std::uint64_t{0xCD9E8D57U} * c2;
    c0 = static_cast<std::uint32_t>(odd >> 32) ^ c1 ^ k0;
    c2 = static_cast<std::uint32_t>(even >> 32) ^ c3 ^ k1;
    c1 = static_cast<std::uint32_t>(odd);
    c3 = static_cast<std::uint32_t>(even);
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return {{c0, c1, c2, c3}};
}

/// What an element's random bits are compared with: it is dropped when they
/// are below. Requires 0 <= p < 1.
inline std::uint32_t dropout_threshold(double p) noexcept {
  return static_cast<std::uint32_t>(p * 4294967296.0);
}

/// Four independent samples of the standard normal distribution, by Box and
/// Muller's transform (1958).
inline void normal_samples(const random_block& bits, double (&y)[4]) noexcept {
  constexpr double unit = 1.0 / 4294967296.0;
  for (int pair = 0; pair < 4; pair += 2) {
    const double radius =
      std::sqrt(-2.0 * std::log((bits.values[pair] + 1.0) * unit));
    const double angle = 2.0 * std::numbers::pi * unit * bits.values[pair + 1];
    y[pair] = radius * std::cos(angle);
    y[pair + 1] = radius * std::sin(angle);
  }
}

/// A sample of the uniform distribution on (-bound, bound).
inline double uniform_sample(std::uint32_t bits, double bound) noexcept {
  return ((bits + 0.5) * (2.0 / 4294967296.0) - 1.0) * bound;
}

} // namespace actorpipe
