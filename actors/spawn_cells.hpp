// SPDX-License-Identifier: Apache-2.0
/// Spawns the actors of cells: the same in a pipeline's process and in a
/// node's.
#pragma once

#include "actors/pipeline_parts.hpp"
#include "actors/stage_core.hpp"
#include "actors/standing_board.hpp"
#include "compute/device/device.hpp"
#include "messages/actor_types.hpp"

#include <caf/fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace actorpipe {

/// What the actors of one stage and of its cells are charged to.
struct stage_accounts {
  std::shared_ptr<memory_account> activations;
  std::shared_ptr<memory_account> gradients;
  std::shared_ptr<memory_account> parameters;
};

/// Named after the stage.
stage_accounts make_accounts(std::uint32_t stage);

/// For faults on purpose; may be empty.
struct stage_hooks {
  action_hook before_action;
  action_hook after_action;
};

// Each actor is to be introduced by whoever spawns it, and waits until then.
// `detached`: it has a thread of its own.

struct spawned_stage {
  stage_actor actor;
  std::shared_ptr<const standing_board> board; ///< where the stage stands
};

spawned_stage spawn_stage(caf::actor_system& system,
                          const pipeline_parts& parts, std::uint32_t stage,
                          std::shared_ptr<device> where,
                          const stage_accounts& accounts, bool detached,
                          stage_hooks hooks = {});

/// `where` is the device of the stage that runs the cell.
parameter_actor spawn_parameter(caf::actor_system& system,
                                const pipeline_parts& parts, std::uint32_t cell,
                                std::shared_ptr<device> where,
                                const stage_accounts& accounts, bool detached);

/// One for all cells whose replicas are kept in this process.
keeper_actor spawn_keeper(caf::actor_system& system,
                          const pipeline_parts& parts,
                          std::shared_ptr<memory_account> holder,
                          bool detached);

} // namespace actorpipe
