// SPDX-License-Identifier: Apache-2.0
/// Random keys: each is drawn from the generator itself, keyed by the seed.
#include "compute/ops/random_key.hpp"

#include "compute/ops/philox.hpp"

namespace actorpipe {
namespace {

/// Stands where a layer's number would, so that names never meet layers.
constexpr std::uint64_t name_domain = ~std::uint64_t{0};

random_key first_words(const random_block& bits) noexcept {
  return {bits.values[0] | std::uint64_t{bits.values[1]} << 32};
}

/// FNV-1a (Fowler, Noll, Vo), 64 bits.
std::uint64_t hash_of(std::string_view name) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char letter : name)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3U;
  return hash;
}

} // namespace

random_block draw(random_key key, std::uint64_t counter_low,
                  std::uint64_t counter_high) noexcept {
  const auto low = [](std::uint64_t x) {
    return static_cast<std::uint32_t>(x);
  };
  return philox(low(counter_low), low(counter_low >> 32), low(counter_high),
                low(counter_high >> 32), low(key.value), low(key.value >> 32));
}

random_key make_random_key(std::uint64_t seed, std::uint64_t step,
                           std::uint64_t layer) noexcept {
  return first_words(draw({seed}, step, layer));
}

random_key make_random_key(std::uint64_t seed, std::string_view name) noexcept {
  return first_words(draw({seed}, hash_of(name), name_domain));
}

} // namespace actorpipe
