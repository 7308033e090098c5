// SPDX-License-Identifier: Apache-2.0
/// Sums by the library's widest kernels that the processor has.
#include "actors/link/data_sum.hpp"

// The dispatching kernels exist for x86 alone; elsewhere the library's only
// ones are built for the machine.
#define XXH_STATIC_LINKING_ONLY
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

namespace actorpipe {

struct data_sum::state {
  XXH3_state_t xxh;
};

data_sum::data_sum() : state_(std::make_unique<state>()) {
  reset();
}

data_sum::~data_sum() = default;

void data_sum::reset() noexcept {
  XXH3_64bits_reset(&state_->xxh);
}

void data_sum::update(std::span<const std::byte> bytes) noexcept {
  XXH3_64bits_update(&state_->xxh, bytes.data(), bytes.size());
}

std::uint64_t data_sum::value() const noexcept {
  return XXH3_64bits_digest(&state_->xxh);
}

std::uint64_t sum_of(std::span<const std::byte> bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

} // namespace actorpipe
