// SPDX-License-Identifier: Apache-2.0
/// Writes frames to a connection.
#pragma once

#include "actors/link/data_sum.hpp"
#include "actors/link/frame_queue.hpp"
#include "actors/link/link_stream.hpp"

#include <cstdint>

namespace actorpipe {

/// Data goes from the tensors' memory, in slices that are summed just before.
/// Used by one thread at a time.
class frame_writer {
public:
  explicit frame_writer(link_stream& to) : to_(to) {}

  /// Blocks. Throws `link_error`.
  void write(const outgoing_frame& frame);

  /// Does not block; see `link_stream::write_now`.
  bool write_now(const outgoing_frame& frame);

  /// Blocks, and turns one bit of the frame round.
  void write_damaged(const outgoing_frame& frame, std::uint64_t bit);

private:
  link_stream& to_;
  data_sum sum_;
};

} // namespace actorpipe
