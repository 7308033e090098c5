// SPDX-License-Identifier: Apache-2.0
/// A connection that is being opened: step by step, each with a deadline.
#pragma once

#include "actors/link/link_stream.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace actorpipe {

/// Runs in the thread of its `io_context`, one step at a time. A step ends with
/// a call of `then`, which is given the fault, or an empty text; after a fault
/// only `close` may follow. Kept alive by the step that is under way, which
/// ends without a call when the `io_context` is destroyed.
class timed_stream : public std::enable_shared_from_this<timed_stream> {
public:
  using then = std::function<void(const std::string& fault)>;

  timed_stream(boost::asio::io_context& runner, link_stream stream,
               std::chrono::nanoseconds step_deadline);
  ~timed_stream();

  /// The handshake of TLS.
  void secure(then next);

  /// Fills `into`, which outlives the step.
  void read(std::span<std::byte> into, then next);
  void write(std::span<const std::byte> bytes, then next);

  /// Sends no more and waits, as long as a step may take, until the peer has
  /// closed too, so that it reads what it was told last.
  void close(then next);

  /// Gives up on the step under way.
  void give_up();

  /// The stream, blocking, for use without this object. No step is under way.
  link_stream release();

private:
  void start(const char* name, std::function<link_stream::progress()> step,
             then next);
  void go_on(then next);
  void finish(const then& next, const std::string& fault);

  link_stream stream_;
  boost::asio::posix::stream_descriptor waiter_; ///< the same socket
  boost::asio::steady_timer timer_;
  std::chrono::nanoseconds step_deadline_;

  const char* name_ = "";
  std::uint64_t steps_ = 0;
  std::function<link_stream::progress()> step_;
  std::string stopped_; ///< why the step ends before it is done
};

} // namespace actorpipe
