// SPDX-License-Identifier: Apache-2.0
/// Says who waits for which action of which micro-batch from whom, since when,
/// and where these waits end.
#pragma once

#include "actors/stall/stall_cause.hpp"
#include "partition/plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace actorpipe {

struct stall_report {
  /// The weightiest first; at least one.
  std::vector<stall_cause> causes;
  /// For a person, several lines: each cause, where each stage stands, and the
  /// programs with the cursors marked. Of many stages only those near the first
  /// cause.
  std::string text;
};

/// A pure function: reads no clock. A stage that has not been heard of for
/// `lost_after_ns` counts as lost; 0: none does. What does not fit the plan is
/// left out.
stall_report make_stall_report(const plan& how, const stall_reading& reading,
                               std::int64_t lost_after_ns = 0);

} // namespace actorpipe
