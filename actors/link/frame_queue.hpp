// SPDX-License-Identifier: Apache-2.0
/// What a link still has to send, in the order in which it goes.
#pragma once

#include "actors/link/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>

namespace actorpipe {

/// A frame with its data, which it keeps alive.
struct outgoing_frame {
  frame_header header;
  tensor of;            ///< undefined for a message without tensors
  event ready;          ///< when the data is there
  bool is_last = false; ///< of its message

  /// The tensor's part; valid while this is.
  std::span<const std::byte> data() const noexcept;
};

/// Urgent messages go whole, in their order, before all others; the others in
/// parts, in their order. Used by one thread at a time.
class frame_queue {
public:
  bool empty() const noexcept { return urgent_.empty() && bulk_.empty(); }
  void push(link_message message);

  /// Requires that it is not empty.
  outgoing_frame pop();
  void clear();

private:
  struct entry {
    link_message message;
    std::size_t ordinal = 0;
    std::uint64_t offset = 0;
  };

  std::deque<entry> urgent_;
  std::deque<entry> bulk_;
};

/// The only frame of a message that is urgent and has at most one tensor.
outgoing_frame make_frame(const link_message& message);

/// Of all tensors of a message.
std::uint64_t bytes_of(const link_message& message) noexcept;

} // namespace actorpipe
