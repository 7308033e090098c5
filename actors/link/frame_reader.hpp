// SPDX-License-Identifier: Apache-2.0
/// Reads frames from bytes that arrive somehow.
#pragma once

#include "actors/link/data_sum.hpp"
#include "actors/link/message_assembly.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace actorpipe {

/// Reads data straight into the tensors' memory, compares the sums, and puts
/// messages together. Knows nothing of sockets. Used by one thread.
class frame_reader {
public:
  /// Waits for at least a byte; fills the first place, then the second, and
  /// returns the number of bytes; 0 at the end.
  using source =
    std::function<std::size_t(std::span<std::byte>, std::span<std::byte>)>;

  frame_reader(source read, message_assembly assembly);

  /// The next message, or nothing when the bytes have ended between two frames.
  /// Throws `link_error` when they are not what they should be; nothing may
  /// follow then.
  std::optional<link_message> next();

private:
  bool read_header();
  void read_data(std::span<std::byte> place);
  void compare_sum();
  bool fill(std::size_t bytes);
  std::span<const std::byte> here() const;

  source read_;
  message_assembly assembly_;
  data_sum sum_;
  frame_header frame_;
  std::vector<std::byte> ahead_; ///< read, but not taken yet: [begin_, end_)
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

} // namespace actorpipe
