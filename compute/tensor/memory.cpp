// SPDX-License-Identifier: Apache-2.0
/// Counts of bytes per holder, and the allocator that only counts.
#include "compute/tensor/memory.hpp"

namespace actorpipe {

void memory_account::charge(std::int64_t bytes) noexcept {
  const auto now = now_ += bytes;
  auto peak = peak_.load();
  while (peak < now && !peak_.compare_exchange_weak(peak, now)) {
  }
}

namespace {

class counting_allocator final : public allocator {
public:
  void* allocate(std::size_t) override { return nullptr; }
  void release(void*, std::size_t) noexcept override {}
};

} // namespace

std::shared_ptr<allocator> make_counting_allocator() {
  return std::make_shared<counting_allocator>();
}

} // namespace actorpipe
