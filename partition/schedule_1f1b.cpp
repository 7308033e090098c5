// SPDX-License-Identifier: Apache-2.0
/// The 1F1B schedule: as few micro-batches in a cell as keep it busy.
#include "partition/schedule_1f1b.hpp"

#include <algorithm>

namespace actorpipe {

program one_f_one_b_program(std::uint32_t cell, std::uint32_t cells,
                            std::uint32_t micro_batches) {
  const auto ahead = std::min(cells - 1 - cell, micro_batches);
  program result;
  for (std::uint32_t i = 0; i < ahead; ++i)
    result.push_back({cell, action_kind::forward, i});
  for (std::uint32_t i = ahead; i < micro_batches; ++i) {
    result.push_back({cell, action_kind::forward, i});
    result.push_back({cell, action_kind::backward, i - ahead});
  }
  for (std::uint32_t i = micro_batches - ahead; i < micro_batches; ++i)
    result.push_back({cell, action_kind::backward, i});
  return result;
}

} // namespace actorpipe
