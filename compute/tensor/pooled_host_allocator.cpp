// SPDX-License-Identifier: Apache-2.0
/// Host memory in size classes, each with a free list and a lock of its own.
#include "compute/tensor/memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <mutex>

namespace actorpipe {
namespace {

constexpr std::size_t alignment_bytes = 64;
constexpr std::size_t steps_per_doubling = 8;
constexpr std::size_t small_bytes = alignment_bytes * steps_per_doubling;
constexpr std::size_t largest_bytes = std::size_t{1} << 47;

struct size_class {
  std::size_t index;
  std::size_t bytes;
};

/// Sizes up to 512 bytes are rounded up to a multiple of 64; above, every
/// doubling is cut into eight classes, so at most an eighth is lost.
size_class class_of(std::size_t bytes) noexcept {
  const auto last = std::max<std::size_t>(bytes, 1) - 1;
  if (last < small_bytes) {
    const auto index = last / alignment_bytes;
    return {index, (index + 1) * alignment_bytes};
  }
  const auto step = std::bit_floor(last) / steps_per_doubling;
  const auto doublings = static_cast<std::size_t>(
    std::bit_width(last) - std::bit_width(small_bytes));
  return {doublings * steps_per_doubling + last / step,
          (last / step + 1) * step};
}

class pooled_host_allocator final : public allocator {
public:
  pooled_host_allocator() = default;
  pooled_host_allocator(const pooled_host_allocator&) = delete;
  pooled_host_allocator& operator=(const pooled_host_allocator&) = delete;

  ~pooled_host_allocator() override { trim(); }

  void* allocate(std::size_t bytes) override {
    if (bytes > largest_bytes)
      throw out_of_memory("no " + std::to_string(bytes)
                          + " bytes of host memory: at most "
                          + std::to_string(largest_bytes));
    const auto wanted = class_of(bytes);
    if (auto* block = lists_[wanted.index].pop())
      return block;
    auto* block = std::aligned_alloc(alignment_bytes, wanted.bytes);
    if (block == nullptr) {
      trim();
      block = std::aligned_alloc(alignment_bytes, wanted.bytes);
    }
    if (block == nullptr)
      throw out_of_memory("the system has no " + std::to_string(wanted.bytes)
                          + " bytes of host memory");
    return block;
  }

  void release(void* block, std::size_t bytes) noexcept override {
    lists_[class_of(bytes).index].push(block);
  }

private:
  /// The blocks of one class that nobody uses. The link to the next is in the
  /// block itself, so giving a block back never allocates.
  class alignas(alignment_bytes) free_list {
  public:
    void* pop() noexcept {
      std::lock_guard guard(lock_);
      auto* block = first_;
      if (block != nullptr)
        first_ = block->next;
      return block;
    }

    void push(void* block) noexcept {
      std::lock_guard guard(lock_);
      first_ = new (block) link{first_};
    }

  private:
    struct link {
      link* next;
    };

    std::mutex lock_;
    link* first_ = nullptr;
  };

  /// Gives all unused blocks back to the system.
  void trim() noexcept {
    for (auto& list : lists_)
      while (auto* block = list.pop())
        std::free(block);
  }

  static constexpr auto classes =
    (std::bit_width(largest_bytes) - std::bit_width(small_bytes) + 1)
    * steps_per_doubling;

  std::array<free_list, classes> lists_;
};

} // namespace

std::shared_ptr<allocator> make_pooled_host_allocator() {
  return std::make_shared<pooled_host_allocator>();
}

} // namespace actorpipe
