// SPDX-License-Identifier: Apache-2.0
/// Threads that share the pieces of one operation.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace actorpipe {

/// Persistent workers that help the calling thread. What the pieces are is
/// decided by the caller, from shapes alone; the pool only decides who computes
/// which. Any thread may call; while the workers are busy with another caller's
/// pieces (or with the piece that calls), the caller computes alone.
class worker_pool {
public:
  /// Starts a thread that runs a function.
  using thread_starter = std::function<std::thread(std::function<void()>)>;

  /// `threads` (at least 1) count the calling thread; `start` is called for
  /// each of the others. Throws `std::system_error` where the system has no
  /// more of them, with the counts; those that run have ended then.
  explicit worker_pool(std::size_t threads,
                       const thread_starter& start = start_thread);
  ~worker_pool();

  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;

  std::size_t threads() const noexcept { return workers_.size() + 1; }

  /// Calls `work(piece)` for each piece in [0, pieces) and returns when all are
  /// done. Throws what the lowest piece of those that threw has thrown.
  template <class F>
  void parallel_for(std::int64_t pieces, F&& work) {
    if (pieces <= 1 || workers_.empty()) {
      for (std::int64_t piece = 0; piece < pieces; ++piece)
        work(piece);
      return;
    }
    using callable = std::remove_reference_t<F>;
    share(pieces, &work, [](void* context, std::int64_t piece) {
      (*static_cast<callable*>(context))(piece);
    });
  }

private:
  static std::thread start_thread(std::function<void()> run);

  using piece_function = void (*)(void* context, std::int64_t piece);

  /// The pieces that one thread starts with; others take from it at the end.
  struct alignas(64) piece_range {
    std::atomic<std::int64_t> next = 0;
    std::int64_t end = 0;
  };

  void share(std::int64_t pieces, void* context, piece_function call);
  void work_on_pieces(std::size_t self) noexcept;
  void run_worker(std::size_t self) noexcept;
  void leave() noexcept;
  void end_workers() noexcept;

  /// The job's fields are written while the gate is closed and empty.
  void* context_ = nullptr;
  piece_function call_ = nullptr;
  std::unique_ptr<piece_range[]> ranges_; ///< one per thread

  std::mutex failure_lock_;
  std::exception_ptr failure_;
  std::int64_t failed_piece_ = 0;

  std::atomic_flag busy_;
  /// The open bit, and the number of workers inside the job.
  alignas(64) std::atomic<std::uint32_t> gate_ = 0;
  /// Raised when a job opens and when the pool ends.
  alignas(64) std::atomic<std::uint32_t> calls_ = 0;
  std::atomic<bool> ends_ = false;
  std::vector<std::thread> workers_;
};

} // namespace actorpipe
