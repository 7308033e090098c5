// SPDX-License-Identifier: Apache-2.0
/// The sending side of a link.
#pragma once

#include "actors/link/disturbance.hpp"
#include "actors/link/link_message.hpp"
#include "actors/link/link_stream.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace actorpipe {

struct link_sender_options {
  /// Called at most once, by the link's thread, when the link has broken:
  /// because the peer has closed it, or writing fails. What was posted and
  /// not sent is gone.
  std::function<void(const std::string& why)> on_broken;
  /// Faults on purpose; null: none.
  std::shared_ptr<link_disturbance> disturbance;
};

/// Sends messages in a thread of its own. What somebody waits for goes before
/// weights, accumulated gradients and shards, which give way after each part of
/// 1 MiB. A message that is small goes in the caller's thread when nothing else
/// is on its way. All functions may be called from any thread.
class link_sender {
public:
  link_sender(link_stream stream, link_sender_options options);

  /// Closes the connection at once; what is not sent is dropped. Not to be
  /// called from `on_broken`.
  ~link_sender();
  link_sender(const link_sender&) = delete;
  link_sender& operator=(const link_sender&) = delete;

  /// Takes a message over; never waits for the peer. A broken link drops it.
  /// Throws `std::invalid_argument` when a tensor is not there, or not in this
  /// machine's memory.
  void post(link_message message);

  /// Of tensors posted and not handed to the system yet. Nothing here bounds
  /// them but what callers post: the credits of the edges.
  std::uint64_t queued_bytes() const noexcept;

  /// Waits until everything posted so far was handed to the system; false when
  /// that takes longer than `timeout` or the link is broken.
  bool drain(std::chrono::nanoseconds timeout);

private:
  class implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace actorpipe
