// SPDX-License-Identifier: Apache-2.0
/// What was measured of a mini-batch: when each stage ran which action.
#pragma once

#include "messages/messages.hpp"

#include <vector>

namespace actorpipe {

/// The share of stages x makespan in which a stage ran nothing; the makespan is
/// from the first start to the last end of any stage. 0 for no actions.
double measured_bubble(const std::vector<std::vector<action_record>>& timeline);

} // namespace actorpipe
