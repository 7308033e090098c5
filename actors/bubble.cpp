// SPDX-License-Identifier: Apache-2.0
/// The measured bubble.
#include "actors/bubble.hpp"

#include <algorithm>
#include <limits>

namespace actorpipe {

double
measured_bubble(const std::vector<std::vector<action_record>>& timeline) {
  auto first = std::numeric_limits<std::int64_t>::max();
  auto last = std::numeric_limits<std::int64_t>::min();
  std::int64_t busy = 0;
  for (const auto& stage : timeline)
    for (const auto& x : stage) {
      first = std::min(first, x.start_ns);
      last = std::max(last, x.end_ns);
      busy += x.end_ns - x.start_ns;
    }
  if (last <= first)
    return 0;
  const auto all =
    static_cast<double>(timeline.size()) * static_cast<double>(last - first);
  return 1 - static_cast<double>(busy) / all;
}

} // namespace actorpipe
