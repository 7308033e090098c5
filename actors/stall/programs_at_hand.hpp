// SPDX-License-Identifier: Apache-2.0
/// Which programs the stages run at the moment, from where they stand in them.
#pragma once

#include "messages/standing.hpp"
#include "partition/plan.hpp"

#include <span>
#include <vector>

namespace actorpipe {

/// One program a stage: those of the plan, of an evaluation, or of a training
/// step with fewer micro-batches, whichever is the first that all cursors of
/// the newest mini-batch fit. Where several fit, they agree on what comes
/// before the cursors. Those of the plan if none fits. `stages` has an entry
/// for each device of the plan, in order.
std::vector<program> programs_at_hand(const plan& how,
                                      std::span<const standing> stages);

} // namespace actorpipe
