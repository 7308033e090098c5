// SPDX-License-Identifier: Apache-2.0
/// Random bits for many consecutive counters at once.
#include "compute/cpu/kernels/elementwise.hpp"
#include "compute/cpu/kernels/multiversion.hpp"
#include "compute/ops/philox.hpp"

namespace actorpipe::kernels {

ACTORPIPE_KERNEL
void sample_bits(std::uint32_t* bits, random_key key, std::uint64_t first,
                 std::uint64_t sample, std::int64_t blocks) {
  const auto low = [](std::uint64_t x) {
    return static_cast<std::uint32_t>(x);
  };
  ACTORPIPE_INDEPENDENT
  for (std::int64_t block = 0; block < blocks; ++block) {
    const auto counter = first + static_cast<std::uint64_t>(block);
    const auto drawn =
      philox(low(counter), low(counter >> 32), low(sample), low(sample >> 32),
             low(key.value), low(key.value >> 32));
    for (int word = 0; word < 4; ++word)
      bits[4 * block + word] = drawn.values[word];
  }
}

} // namespace actorpipe::kernels
