// SPDX-License-Identifier: Apache-2.0
/// An event says when the work enqueued before it is done.
#pragma once

#include <memory>
#include <utility>

namespace actorpipe {

/// A point in a stream's order of work. A default-made event is done. Copies
/// denote the same point. Safe to use from any thread.
class event {
public:
  /// How a kind of device knows that the point was reached.
  class source {
  public:
    virtual ~source() = default;
    virtual bool done() const = 0;
    virtual void wait() const = 0;
  };

  event() noexcept = default;
  explicit event(std::shared_ptr<const source> point)
    : point_(std::move(point)) {}

  bool done() const { return point_ == nullptr || point_->done(); }

  /// Blocks the calling thread until the point is reached. Throws what the
  /// device reports of the work before it.
  void wait() const {
    if (point_ != nullptr)
      point_->wait();
  }

  const std::shared_ptr<const source>& point() const noexcept { return point_; }

private:
  std::shared_ptr<const source> point_;
};

} // namespace actorpipe
