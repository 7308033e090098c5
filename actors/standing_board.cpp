// SPDX-License-Identifier: Apache-2.0
/// A stage's standing behind a mutex.
#include "actors/standing_board.hpp"

#include <utility>

namespace actorpipe {

standing_board::standing_board(std::uint32_t stage,
                               std::function<std::int64_t()> now_ns)
  : now_ns_(std::move(now_ns)), since_ns_(now_ns_()) {
  now_.stage = stage;
}

void standing_board::publish(standing::state how, const work_id& id,
                             const action& next, std::uint32_t cursor,
                             const std::vector<missing>& lacks) {
  const auto now = now_ns_();
  const std::lock_guard lock(mutex_);
  if (now_.how != how || now_.id != id || now_.cursor != cursor)
    since_ns_ = now;
  now_.how = how;
  now_.id = id;
  now_.next = next;
  now_.cursor = cursor;
  // Assigned, not moved: the memory stays.
  now_.lacks.assign(lacks.begin(), lacks.end());
}

standing standing_board::read() const {
  const auto now = now_ns_();
  const std::lock_guard lock(mutex_);
  auto result = now_;
  result.for_ns = std::max<std::int64_t>(now - since_ns_, 0);
  return result;
}

} // namespace actorpipe
