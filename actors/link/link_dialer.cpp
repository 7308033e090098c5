// SPDX-License-Identifier: Apache-2.0
/// Dials in a thread.
#include "actors/link/link_dialer.hpp"

#include <exception>
#include <utility>

namespace actorpipe {

namespace {

constexpr std::chrono::seconds longest_wait{10};

} // namespace

link_dialer::link_dialer(opened on_opened, ended on_ended)
  : on_opened_(std::move(on_opened)), on_ended_(std::move(on_ended)),
    thread_([this] { run(); }) {}

link_dialer::~link_dialer() {
  stop();
}

void link_dialer::dial(std::uint64_t attempt, std::vector<call> calls,
                       std::function<std::string()> missing) {
  const std::lock_guard lock(mutex_);
  next_ = task{attempt, std::move(calls), std::move(missing)};
  changed_.notify_all();
}

void link_dialer::note_change() {
  const std::lock_guard lock(mutex_);
  ++changes_;
  changed_.notify_all();
}

void link_dialer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable())
    thread_.join();
}

void link_dialer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopped_ || next_; });
    if (stopped_)
      return;
    const auto now = *std::exchange(next_, std::nullopt);
    lock.unlock();
    if (const auto failure = work(now))
      on_ended_(now.attempt, *failure);
    lock.lock();
  }
}

std::optional<std::string> link_dialer::work(const task& what) {
  const auto is_replaced = [this] { return stopped_ || next_; };
  for (const auto& x : what.calls) {
    try {
      on_opened_(x.greeting, actorpipe::dial(x.options, x.greeting));
    } catch (const std::exception& error) {
      return error.what();
    }
    const std::lock_guard lock(mutex_);
    if (is_replaced())
      return std::nullopt;
  }
  const auto deadline = std::chrono::steady_clock::now() + longest_wait;
  for (;;) {
    std::uint64_t seen = 0;
    {
      const std::lock_guard lock(mutex_);
      if (is_replaced())
        return std::nullopt;
      seen = changes_;
    }
    auto missing = what.missing();
    if (missing.empty())
      return missing;
    std::unique_lock lock(mutex_);
    const bool is_new = changed_.wait_until(
      lock, deadline, [&] { return is_replaced() || changes_ != seen; });
    if (!is_new)
      return missing;
  }
}

} // namespace actorpipe
