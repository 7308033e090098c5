// SPDX-License-Identifier: Apache-2.0
/// Who writes when: callers what is small, the thread everything else.
#include "actors/link/link_sender.hpp"

#include "actors/link/frame_queue.hpp"
#include "actors/link/frame_writer.hpp"
#include "actors/link/link_error.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace actorpipe {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t small_bytes = std::uint64_t{64} << 10;

void require_sendable(const link_message& x) {
  for (const auto& one : x.data.tensors)
    if (!one.defined() || (one.bytes() == nullptr && one.size_bytes() > 0))
      throw std::invalid_argument(to_string(x.head)
                                  + " has a tensor without memory");
}

} // namespace

class link_sender::implementation {
public:
  implementation(link_stream stream, link_sender_options options)
    : options_(std::move(options)), stream_(std::move(stream)),
      writer_(stream_), waiter_(runner_, stream_.descriptor()) {
    await_end();
    thread_ = std::thread([this] { runner_.run(); });
  }

  ~implementation() {
    {
      const std::lock_guard guard(lock_);
      stopping_ = true;
    }
    changed_.notify_all();
    stream_.shut_down();
    runner_.stop();
    thread_.join();
    waiter_.release();
  }

  void post(link_message message) {
    require_sendable(message);
    const auto bytes = bytes_of(message);
    std::unique_lock guard(lock_);
    if (ended_)
      return;
    queued_bytes_ += bytes;
    if (may_write_here(message, bytes)) {
      writing_ = true;
      guard.unlock();
      write_here(message);
      guard.lock();
      writing_ = false;
      queued_bytes_ -= ended_ ? 0 : bytes;
    } else {
      queue_.push(std::move(message));
    }
    if (has_work())
      wake();
    else
      changed_.notify_all();
  }

  std::uint64_t queued_bytes() const noexcept { return queued_bytes_; }

  bool drain(std::chrono::nanoseconds timeout) {
    std::unique_lock guard(lock_);
    changed_.wait_for(guard, timeout,
                      [this] { return ended_ || (!writing_ && !has_work()); });
    return !ended_ && !writing_ && !has_work();
  }

private:
  // -- with the lock held -----------------------------------------------------

  bool has_work() const {
    return unflushed_ || !fault_.empty() || !queue_.empty();
  }

  bool may_write_here(const link_message& message, std::uint64_t bytes) const {
    return !writing_ && !has_work() && options_.disturbance == nullptr
        && message.data.tensors.size() <= 1 && bytes <= small_bytes
        && message.data.ready.done();
  }

  // Makes the thread look for work, unless it is going to.
  void wake() {
    if (!std::exchange(awake_, true))
      asio::post(runner_, [this] { work(); });
  }

  // -- in the caller's thread, as the only writer -----------------------------

  void write_here(const link_message& message) {
    try {
      const auto all = writer_.write_now(make_frame(message));
      const std::lock_guard guard(lock_);
      unflushed_ = !all;
    } catch (const std::exception& error) {
      const std::lock_guard guard(lock_);
      fault_ = error.what();
    }
  }

  // -- in the link's thread ---------------------------------------------------

  void work() {
    std::unique_lock guard(lock_);
    // Whoever writes elsewhere wakes this thread again.
    while (!stopping_ && !ended_ && !writing_ && has_work()) {
      if (!fault_.empty()) {
        guard.unlock();
        return end(fault_);
      }
      writing_ = true;
      if (const auto fault = write_next(guard); !fault.empty()) {
        guard.unlock();
        return end(fault);
      }
      writing_ = false;
    }
    awake_ = false;
    changed_.notify_all();
  }

  // Leaves the lock while it writes. Returns why that failed.
  std::string write_next(std::unique_lock<std::mutex>& guard) {
    std::uint64_t bytes = 0;
    std::string fault;
    if (std::exchange(unflushed_, false)) {
      guard.unlock();
      fault = fault_of([this] { stream_.flush(); });
    } else {
      const auto frame = queue_.pop();
      bytes = frame.header.length;
      guard.unlock();
      fault = fault_of([&] { write(frame); });
    }
    guard.lock();
    queued_bytes_ -= ended_ ? 0 : bytes;
    return fault;
  }

  template <class Work>
  static std::string fault_of(Work work) {
    try {
      work();
      return {};
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  void write(const outgoing_frame& frame) {
    frame.ready.wait();
    if (options_.disturbance == nullptr)
      return writer_.write(frame);
    const auto fault = options_.disturbance->before(frame.header);
    if (fault.hold.count() > 0) {
      std::unique_lock guard(lock_);
      if (changed_.wait_for(guard, fault.hold, [this] { return stopping_; }))
        return;
    }
    if (fault.breaks)
      throw link_error("broken on purpose");
    if (fault.flipped_bit)
      writer_.write_damaged(frame, *fault.flipped_bit);
    else
      writer_.write(frame);
  }

  // The peer never sends anything here: what can be read is the end.
  void await_end() {
    waiter_.async_wait(asio::posix::stream_descriptor::wait_read,
                       [this](const auto& error) {
                         if (error)
                           return;
                         const auto why = stream_.find_end();
                         if (why.empty())
                           await_end();
                         else
                           end(why);
                       });
  }

  void end(const std::string& why) {
    {
      const std::lock_guard guard(lock_);
      if (stopping_ || std::exchange(ended_, true))
        return;
      queue_.clear();
      queued_bytes_ = 0;
    }
    changed_.notify_all();
    stream_.shut_down();
    if (options_.on_broken)
      options_.on_broken(why);
  }

  link_sender_options options_;
  link_stream stream_;
  frame_writer writer_;
  asio::io_context runner_{1};
  asio::posix::stream_descriptor waiter_; ///< the same socket
  std::atomic<std::uint64_t> queued_bytes_ = 0;

  std::mutex lock_; ///< of what follows
  std::condition_variable changed_;
  frame_queue queue_;
  bool writing_ = false;   ///< somebody writes
  bool unflushed_ = false; ///< the stream keeps what it could not send at once
  bool awake_ = false;     ///< the thread works, or will
  bool ended_ = false;
  bool stopping_ = false;
  std::string fault_; ///< of a write in a caller's thread

  std::thread thread_;
};

link_sender::link_sender(link_stream stream, link_sender_options options)
  : impl_(
    std::make_unique<implementation>(std::move(stream), std::move(options))) {}

link_sender::~link_sender() = default;

void link_sender::post(link_message message) {
  impl_->post(std::move(message));
}

std::uint64_t link_sender::queued_bytes() const noexcept {
  return impl_->queued_bytes();
}

bool link_sender::drain(std::chrono::nanoseconds timeout) {
  return impl_->drain(timeout);
}

} // namespace actorpipe
