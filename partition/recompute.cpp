// SPDX-License-Identifier: Apache-2.0
/// Adds the recomputes to a program.
#include "partition/recompute.hpp"

#include <vector>

namespace actorpipe {

program with_recompute(const program& steps, recompute_mode mode) {
  if (mode == recompute_mode::never)
    return steps;
  program result;
  std::vector<bool> turned; // by cell: has run a backward
  for (const auto& step : steps) {
    if (step.kind == action_kind::backward
        || step.kind == action_kind::input_gradient) {
      if (turned.size() <= step.cell)
        turned.resize(step.cell + std::size_t{1}, false);
      const bool first = !turned[step.cell];
      turned[step.cell] = true;
      const action forward{step.cell, action_kind::forward, step.micro_batch};
      const bool fresh = !result.empty() && result.back() == forward;
      const bool kept = first && mode == recompute_mode::except_one;
      if (!fresh && !kept)
        result.push_back({step.cell, action_kind::recompute, step.micro_batch});
    }
    result.push_back(step);
  }
  return result;
}

} // namespace actorpipe
