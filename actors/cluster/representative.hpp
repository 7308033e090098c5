// SPDX-License-Identifier: Apache-2.0
/// Stands in the trainer for an actor of another process.
#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>

namespace actorpipe {

/// Hands on what comes: messages with tensors to `data`, which stands for the
/// link to that process, all others to `control`, the actor itself as CAF
/// reaches it. Either may be null: what is for it is dropped.
caf::behavior make_representative(caf::event_based_actor* self,
                                  caf::strong_actor_ptr control,
                                  caf::strong_actor_ptr data);

} // namespace actorpipe
