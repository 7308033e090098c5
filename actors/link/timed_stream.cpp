// SPDX-License-Identifier: Apache-2.0
/// Steps of opening a connection.
#include "actors/link/timed_stream.hpp"

#include "actors/link/link_error.hpp"

#include <fmt/format.h>

#include <utility>

namespace actorpipe {

namespace asio = boost::asio;

timed_stream::timed_stream(asio::io_context& runner, link_stream stream,
                           std::chrono::nanoseconds step_deadline)
  : stream_(std::move(stream)), waiter_(runner, stream_.descriptor()),
    timer_(runner), step_deadline_(step_deadline) {}

timed_stream::~timed_stream() {
  // The socket is closed by its owner.
  if (waiter_.is_open())
    waiter_.release();
}

void timed_stream::secure(then next) {
  start(
    "the handshake of TLS", [this] { return stream_.try_secure(); },
    std::move(next));
}

void timed_stream::read(std::span<std::byte> into, then next) {
  start(
    "the greeting",
    [this, rest = into]() mutable { return stream_.try_read(rest); },
    std::move(next));
}

void timed_stream::write(std::span<const std::byte> bytes, then next) {
  stream_.put(bytes);
  start(
    "sending the greeting", [this] { return stream_.try_flush(); },
    std::move(next));
}

void timed_stream::close(then next) {
  start(
    "closing", [this] { return stream_.try_close(); }, std::move(next));
}

void timed_stream::give_up() {
  stopped_ = "given up";
  waiter_.cancel();
}

link_stream timed_stream::release() {
  waiter_.release();
  stream_.set_blocking();
  return std::move(stream_);
}

void timed_stream::start(const char* name,
                         std::function<link_stream::progress()> step,
                         then next) {
  name_ = name;
  step_ = std::move(step);
  stopped_.clear();
  timer_.expires_after(step_deadline_);
  timer_.async_wait([self = weak_from_this(),
                     mine = ++steps_](const auto& error) {
    const auto alive = self.lock();
    if (error || alive == nullptr || alive->steps_ != mine)
      return;
    alive->stopped_ =
      fmt::format("no answer in {:.1f} s: {}",
                  std::chrono::duration<double>(alive->step_deadline_).count(),
                  alive->name_);
    alive->waiter_.cancel();
  });
  go_on(std::move(next));
}

// What is called next belongs to what waits, not to this object, which it may
// own in turn.
void timed_stream::go_on(then next) {
  using progress = link_stream::progress;
  auto how = progress::done;
  std::string fault;
  try {
    how = step_();
  } catch (const link_error& error) {
    fault = error.what();
  }
  if (how == progress::done)
    return finish(next, fault);
  waiter_.async_wait(
    how == progress::wants_read ? asio::posix::stream_descriptor::wait_read
                                : asio::posix::stream_descriptor::wait_write,
    [self = shared_from_this(), next = std::move(next)](const auto& error) {
      if (!self->stopped_.empty())
        self->finish(next, self->stopped_);
      else if (error)
        self->finish(next, error.message());
      else
        self->go_on(next);
    });
}

void timed_stream::finish(const then& next, const std::string& fault) {
  ++steps_;
  timer_.cancel();
  step_ = nullptr;
  next(fault);
}

} // namespace actorpipe
