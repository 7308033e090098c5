// SPDX-License-Identifier: Apache-2.0
/// The fill-drain schedule: every forward, then every backward in order.
#include "partition/schedule_fill_drain.hpp"

namespace actorpipe {

program fill_drain_program(std::uint32_t cell, std::uint32_t micro_batches) {
  program result;
  for (std::uint32_t i = 0; i < micro_batches; ++i)
    result.push_back({cell, action_kind::forward, i});
  for (std::uint32_t i = 0; i < micro_batches; ++i)
    result.push_back({cell, action_kind::backward, i});
  return result;
}

} // namespace actorpipe
