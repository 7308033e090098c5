// SPDX-License-Identifier: Apache-2.0
/// Initial values: the same as the reference's, bit for bit.
#include "compute/cpu/cpu_operations.hpp"
#include "compute/cpu/pieces.hpp"
#include "compute/ops/philox.hpp"

#include <algorithm>

namespace actorpipe {
namespace {

/// Calls `write(first, bits)` for each block of four elements in a range that
/// starts at a multiple of four.
template <class F>
void for_blocks(random_key key, std::int64_t begin, std::int64_t end, F write) {
  for (auto first = begin; first < end; first += 4)
    write(first, draw(key, static_cast<std::uint64_t>(first / 4), 0));
}

} // namespace

void cpu_operations::fill_normal(tensor y, double deviation, random_key key) {
  auto* values = writable_floats(y);
  for_parts(
    y.elements(), piece_elements, [=](std::int64_t begin, std::int64_t end) {
      for_blocks(
        key, begin, end, [=](std::int64_t first, const random_block& bits) {
          double samples[4];
          normal_samples(bits, samples);
          for (auto i = first; i < std::min(first + 4, end); ++i)
            values[i] = static_cast<float>(samples[i - first] * deviation);
        });
    });
}

void cpu_operations::fill_uniform(tensor y, double bound, random_key key) {
  auto* values = writable_floats(y);
  for_parts(
    y.elements(), piece_elements, [=](std::int64_t begin, std::int64_t end) {
      for_blocks(
        key, begin, end, [=](std::int64_t first, const random_block& bits) {
          for (auto i = first; i < std::min(first + 4, end); ++i)
            values[i] =
              static_cast<float>(uniform_sample(bits.values[i - first], bound));
        });
    });
}

} // namespace actorpipe
