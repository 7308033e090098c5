// SPDX-License-Identifier: Apache-2.0
/// Learning-rate schedules: pure functions of the step.
#pragma once

#include <cstdint>

namespace actorpipe {

enum class learning_rate_kind : std::uint8_t { constant, cosine, linear };

struct learning_rate_options {
  learning_rate_kind kind = learning_rate_kind::constant;
  double peak = 1e-3;
  double floor = 0;              ///< reached at `total_steps`
  std::int64_t warmup_steps = 0; ///< rises linearly from peak / warmup_steps
  std::int64_t total_steps = 1;
};

/// The rate for step `step` (the first is 0). After `total_steps` it stays at
/// the floor; a constant schedule stays at the peak. (Cosine: Loshchilov and
/// Hutter 2017, arXiv 1608.03983.)
double learning_rate(const learning_rate_options& options, std::int64_t step);

} // namespace actorpipe
