// SPDX-License-Identifier: Apache-2.0
/// How much of a mini-batch's time stages were idle.
#pragma once

#include "messages/messages.hpp"

#include <vector>

namespace actorpipe {

/// The share of stages x makespan in which a stage ran nothing; the makespan is
/// from the first start to the last end of any stage. 0 for no actions.
double measured_bubble(const std::vector<std::vector<action_record>>& timeline);

} // namespace actorpipe
