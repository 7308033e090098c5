// SPDX-License-Identifier: Apache-2.0
/// Random bits for many consecutive counters at once.
#include "compute/cpu/kernels/elementwise.hpp"
#include "compute/cpu/kernels/multiversion.hpp"
#include "compute/ops/philox.hpp"

namespace actorpipe::kernels {

ACTORPIPE_KERNEL
void sample_bits(std::uint32_t* bits, random_key key, std::uint64_t first,
                 std::uint64_t sample, std::int64_t blocks) {
  // The words of several counters side by side, so that every step of the
  // generator is a loop over them.
  constexpr std::int64_t width = 16;
  constexpr int rounds = 10;
  for (std::int64_t done = 0; done < blocks; done += width) {
    std::uint32_t c0[width];
    std::uint32_t c1[width];
    std::uint32_t c2[width];
    std::uint32_t c3[width];
    for (std::int64_t j = 0; j < width; ++j) {
      const auto counter = first + static_cast<std::uint64_t>(done + j);
      c0[j] = static_cast<std::uint32_t>(counter);
      c1[j] = static_cast<std::uint32_t>(counter >> 32);
      c2[j] = static_cast<std::uint32_t>(sample);
      c3[j] = static_cast<std::uint32_t>(sample >> 32);
    }
    auto k0 = static_cast<std::uint32_t>(key.value);
    auto k1 = static_cast<std::uint32_t>(key.value >> 32);
    for (int round = 0; round < rounds; ++round) {
      for (std::int64_t j = 0; j < width; ++j)
        philox_round(c0[j], c1[j], c2[j], c3[j], k0, k1);
      philox_next_key(k0, k1);
    }
    const auto count = blocks - done < width ? blocks - done : width;
    for (std::int64_t j = 0; j < count; ++j) {
      auto* block = bits + 4 * (done + j);
      block[0] = c0[j];
      block[1] = c1[j];
      block[2] = c2[j];
      block[3] = c3[j];
    }
  }
}

} // namespace actorpipe::kernels
