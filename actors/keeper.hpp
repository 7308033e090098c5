// SPDX-License-Identifier: Apache-2.0
/// The keeper actor: a `keeper_core` behind a mailbox.
#pragma once

#include "actors/keeper_core.hpp"
#include "messages/actor_types.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <memory>

namespace actorpipe {

struct keeper_state {
  std::unique_ptr<keeper_core::outbox> out;
  std::unique_ptr<keeper_core> core;
  static inline const char* name = "actorpipe.keeper";
};

keeper_actor::behavior_type
make_keeper(keeper_actor::stateful_pointer<keeper_state> self,
            keeper_options options);

} // namespace actorpipe
