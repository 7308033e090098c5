// SPDX-License-Identifier: Apache-2.0
/// Replaces the program's `operator new` by one that remembers.
#include "tests/messages/largest_allocation.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> largest_bytes = 0;

void note(std::size_t bytes) noexcept {
  auto before = largest_bytes.load();
  while (before < bytes
         && !largest_bytes.compare_exchange_weak(before, bytes)) {
    // Until it is stored or another thread has stored more.
  }
}

} // namespace

void* operator new(std::size_t bytes) {
  note(bytes);
  if (auto* block = std::malloc(std::max<std::size_t>(bytes, 1)))
    return block;
  throw std::bad_alloc();
}

// Those of the standard library call the one above; a sanitizer's do not.
void* operator new[](std::size_t bytes) {
  return ::operator new(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  note(bytes);
  return std::malloc(std::max<std::size_t>(bytes, 1));
}

void operator delete[](void* block) noexcept {
  std::free(block);
}
void operator delete[](void* block, std::size_t) noexcept {
  std::free(block);
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}

namespace actorpipe::test {

void reset_largest_allocation() noexcept {
  largest_bytes = 0;
}

std::size_t largest_allocation_bytes() noexcept {
  return largest_bytes;
}

} // namespace actorpipe::test
