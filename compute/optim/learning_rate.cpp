// SPDX-License-Identifier: Apache-2.0
/// The rates of the schedules.
#include "compute/optim/learning_rate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace actorpipe {

double learning_rate(const learning_rate_options& options, std::int64_t step) {
  if (step < options.warmup_steps)
    return options.peak * static_cast<double>(step + 1)
         / static_cast<double>(options.warmup_steps);
  if (options.kind == learning_rate_kind::constant)
    return options.peak;
  if (step >= options.total_steps)
    return options.floor;
  const auto progress =
    static_cast<double>(step - options.warmup_steps)
    / static_cast<double>(options.total_steps - options.warmup_steps);
  const auto share = options.kind == learning_rate_kind::cosine
                     ? (1 + std::cos(std::numbers::pi * progress)) / 2
                     : 1 - progress;
  return options.floor + (options.peak - options.floor) * share;
}

} // namespace actorpipe
