// SPDX-License-Identifier: Apache-2.0
/// The parameter actor: a `parameter_core` behind a mailbox.
#pragma once

#include "actors/parameter_core.hpp"
#include "messages/actor_types.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <memory>

namespace actorpipe {

struct parameter_state {
  std::unique_ptr<parameter_core::outbox> out;
  std::unique_ptr<parameter_core> core;
  static inline const char* name = "actorpipe.parameter";
};

/// Publishes version 0 once it has been introduced to the first attempt.
parameter_actor::behavior_type
make_parameter(parameter_actor::stateful_pointer<parameter_state> self,
               parameter_options options);

} // namespace actorpipe
