// SPDX-License-Identifier: Apache-2.0
/// Where a stage stands, for anyone to read while it computes.
#pragma once

#include "messages/standing.hpp"

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace actorpipe {

/// The stage writes, any thread reads.
class standing_board {
public:
  /// `now_ns` is a monotonic clock in nanoseconds, called from the threads that
  /// write and read.
  standing_board(std::uint32_t stage, std::function<std::int64_t()> now_ns);

  /// What is the same as before began when it did; of a wait that goes on,
  /// `lacks` alone is replaced.
  void publish(standing::state how, const work_id& id, const action& next,
               std::uint32_t cursor, const std::vector<missing>& lacks);

  standing read() const;

private:
  const std::function<std::int64_t()> now_ns_;
  mutable std::mutex mutex_; ///< for what follows
  standing now_;
  std::int64_t since_ns_;
};

} // namespace actorpipe
