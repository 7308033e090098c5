// SPDX-License-Identifier: Apache-2.0
/// Which piece of work a message belongs to, so that a late one is recognised.
#pragma once

#include <compare>
#include <cstdint>

namespace actorpipe {

/// Names one mini-batch that a pipeline works on. Ordered: what is older than
/// the receiver's own is dropped, what is newer is kept until its time comes.
struct work_id {
  std::uint64_t run = 0;     ///< made anew whenever a pipeline starts
  std::uint64_t attempt = 0; ///< raised whenever a mini-batch is abandoned
  std::uint64_t batch = 0;   ///< counts mini-batches, evaluations included

  friend auto operator<=>(const work_id&, const work_id&) = default;
};

} // namespace actorpipe
