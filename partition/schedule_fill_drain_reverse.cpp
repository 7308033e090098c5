// SPDX-License-Identifier: Apache-2.0
/// The fill-drain schedule as the GPipe paper draws it: drains backwards.
#include "partition/schedule_fill_drain_reverse.hpp"

namespace actorpipe {

program fill_drain_reverse_program(std::uint32_t cell,
                                   std::uint32_t micro_batches) {
  program result;
  for (std::uint32_t i = 0; i < micro_batches; ++i)
    result.push_back({cell, action_kind::forward, i});
  for (std::uint32_t i = micro_batches; i > 0; --i)
    result.push_back({cell, action_kind::backward, i - 1});
  return result;
}

} // namespace actorpipe
