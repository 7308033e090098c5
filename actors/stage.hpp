// SPDX-License-Identifier: Apache-2.0
/// The stage actor: a `stage_core` behind a mailbox.
#pragma once

#include "actors/stage_core.hpp"
#include "messages/actor_types.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <memory>
#include <vector>

namespace actorpipe {

struct stage_state {
  std::unique_ptr<stage_core::outbox> out;
  std::unique_ptr<stage_core> core;
  bool continuing = false; ///< a `run_next` is under way
  static inline const char* name = "actorpipe.stage";
};

/// Runs one action at most per message, so that what arrives meanwhile is seen
/// between two actions.
stage_actor::behavior_type
make_stage(stage_actor::stateful_pointer<stage_state> self,
           stage_options options);

} // namespace actorpipe
