// SPDX-License-Identifier: Apache-2.0
/// Where the bytes of tensors come from, and who is charged for them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace actorpipe {

/// Bytes charged to one holder (such as "stage 2 activations"): now and at
/// most. Counts what tensors asked for, not what the allocator rounded it to.
/// Safe to use from any thread.
class memory_account {
public:
  explicit memory_account(std::string holder) : holder_(std::move(holder)) {}

  const std::string& holder() const noexcept { return holder_; }
  std::int64_t now_bytes() const noexcept { return now_; }
  std::int64_t peak_bytes() const noexcept { return peak_; }

  /// Makes the peak what is held now.
  void reset_peak() noexcept { peak_ = now_.load(); }

  void charge(std::int64_t bytes) noexcept;
  void discharge(std::int64_t bytes) noexcept { now_ -= bytes; }

private:
  std::string holder_;
  std::atomic<std::int64_t> now_ = 0;
  std::atomic<std::int64_t> peak_ = 0;
};

/// A source of blocks of memory of one device. Safe to use from any thread.
class allocator {
public:
  virtual ~allocator() = default;

  /// Returns at least `bytes` bytes aligned for any vector instruction (64),
  /// or null from an allocator that only counts. The contents are undefined.
  /// Throws `out_of_memory`.
  virtual void* allocate(std::size_t bytes) = 0;

  /// Takes back what `allocate` returned for the same `bytes`.
  ///
  /// A tensor is released with its last handle, not with the last work on it:
  /// what was enqueued before may still use the block. So the block is handed
  /// out again only to work that runs after that: on host devices, whose work
  /// is done when its call returns, at once; on a device that runs work later,
  /// to the stream whose work used it, in that stream's order, or to any other
  /// once an event recorded at the release is done.
  virtual void release(void* block, std::size_t bytes) noexcept = 0;
};

/// The allocator's error: says what was asked and by whom.
class out_of_memory : public std::bad_alloc {
public:
  explicit out_of_memory(std::string what) : what_(std::move(what)) {}
  const char* what() const noexcept override { return what_.c_str(); }

private:
  std::string what_;
};

/// Host memory that is kept for reuse: a released block goes to a free list of
/// its size class and is handed out again, so a step that repeats allocates
/// nothing from the system after the first.
std::shared_ptr<allocator> make_pooled_host_allocator();

/// Hands out null: for dry runs, which need the counts and not the memory.
std::shared_ptr<allocator> make_counting_allocator();

} // namespace actorpipe
