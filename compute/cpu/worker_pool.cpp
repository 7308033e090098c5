// SPDX-License-Identifier: Apache-2.0
/// The workers: they wait for a call, enter the job while its gate is open, and
/// leave when no piece is left. A worker that wakes late finds the gate closed,
/// so nobody ever waits for a thread that does not run.
#include "compute/cpu/worker_pool.hpp"

#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace actorpipe {
namespace {

constexpr std::uint32_t open_gate = 1U << 31;

/// Some tens of microseconds: longer than the gap between the operations of a
/// layer, shorter than what others on the same core would notice.
constexpr int spins_before_sleep = 1000;

void relax() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

/// Waits until the value is no longer `old`; returns the new one.
std::uint32_t await_change(const std::atomic<std::uint32_t>& value,
                           std::uint32_t old) noexcept {
  for (int spin = 0; spin < spins_before_sleep; ++spin) {
    if (const auto now = value.load(std::memory_order_acquire); now != old)
      return now;
    relax();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

} // namespace

worker_pool::worker_pool(std::size_t threads, const thread_starter& start) {
  if (threads == 0)
    throw std::invalid_argument("a device needs at least 1 thread, not 0");
  ranges_ = std::make_unique<piece_range[]>(threads);
  workers_.reserve(threads - 1);
  try {
    for (std::size_t self = 1; self < threads; ++self)
      workers_.push_back(start([this, self] { run_worker(self); }));
  } catch (const std::system_error& error) {
    const auto running = this->threads();
    end_workers();
    throw std::system_error(error.code(), "of the " + std::to_string(threads)
                                            + " threads of a device only "
                                            + std::to_string(running)
                                            + " can be had");
  } catch (...) {
    end_workers();
    throw;
  }
}

worker_pool::~worker_pool() {
  end_workers();
}

std::thread worker_pool::start_thread(std::function<void()> run) {
  return std::thread(std::move(run));
}

void worker_pool::end_workers() noexcept {
  ends_ = true;
  ++calls_;
  calls_.notify_all();
  for (auto& worker : workers_)
    worker.join();
}

void worker_pool::share(std::int64_t pieces, void* context,
                        piece_function call) {
  if (busy_.test_and_set(std::memory_order_acquire)) {
    for (std::int64_t piece = 0; piece < pieces; ++piece)
      call(context, piece);
    return;
  }
  context_ = context;
  call_ = call;
  const auto threads = static_cast<std::int64_t>(this->threads());
  for (std::int64_t i = 0; i < threads; ++i) {
    ranges_[i].next.store(pieces * i / threads, std::memory_order_relaxed);
    ranges_[i].end = pieces * (i + 1) / threads;
  }
  gate_.store(open_gate, std::memory_order_release);
  calls_.fetch_add(1, std::memory_order_release);
  calls_.notify_all();

  work_on_pieces(0);

  auto inside =
    gate_.fetch_and(~open_gate, std::memory_order_acq_rel) & ~open_gate;
  while (inside != 0)
    inside = await_change(gate_, inside);
  auto failure = std::exchange(failure_, nullptr);
  busy_.clear(std::memory_order_release);
  if (failure)
    std::rethrow_exception(failure);
}

void worker_pool::work_on_pieces(std::size_t self) noexcept {
  const auto threads = this->threads();
  for (std::size_t i = 0; i < threads; ++i) {
    auto& range = ranges_[(self + i) % threads];
    while (range.next.load(std::memory_order_relaxed) < range.end) {
      const auto piece = range.next.fetch_add(1, std::memory_order_relaxed);
      if (piece >= range.end)
        break;
      try {
        call_(context_, piece);
      } catch (...) {
        std::lock_guard guard(failure_lock_);
        if (!failure_ || piece < failed_piece_) {
          failure_ = std::current_exception();
          failed_piece_ = piece;
        }
      }
    }
  }
}

void worker_pool::run_worker(std::size_t self) noexcept {
  std::uint32_t seen = 0;
  while (true) {
    seen = await_change(calls_, seen);
    if (ends_)
      return;
    auto gate = gate_.load(std::memory_order_acquire);
    while ((gate & open_gate) != 0)
      if (gate_.compare_exchange_weak(gate, gate + 1,
                                      std::memory_order_acq_rel)) {
        work_on_pieces(self);
        leave();
        break;
      }
  }
}

void worker_pool::leave() noexcept {
  const auto before = gate_.fetch_sub(1, std::memory_order_acq_rel);
  if ((before & open_gate) == 0)
    gate_.notify_all();
}

} // namespace actorpipe
