// SPDX-License-Identifier: Apache-2.0
/// A simulated timeline drawn as text, one row a device, one column a tick.
#pragma once

#include "partition/simulate.hpp"

#include <string>

namespace actorpipe::testing {

/// Each action stands in the column of its start and is drawn on to its end;
/// a point is an idle tick. Times are rounded to ticks; an action shorter than
/// half a tick is left out. K = 2, M = 2, a backward of two ticks:
///
///     device 0 | 0F0 0F1  .   .   .  0B0 --- 0B1 ---
///     device 1 |  .  1F0 1F1 1B0 --- 1B1 ---  .   .
std::string to_tick_grid(const simulation& x, double tick_s);

} // namespace actorpipe::testing
