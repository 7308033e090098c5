// SPDX-License-Identifier: Apache-2.0
/// The scheduler actor: a `scheduler_core` behind a mailbox.
#pragma once

#include "actors/scheduler_core.hpp"
#include "messages/actor_types.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <memory>

namespace actorpipe {

struct scheduler_state {
  /// Whoever still waits for an outcome is told that none will come.
  ~scheduler_state();

  std::unique_ptr<scheduler_core::outbox> out;
  std::unique_ptr<scheduler_core> core;
  caf::typed_response_promise<step_outcome> waiting;
  caf::typed_response_promise<values_outcome> waiting_for_values;
  caf::typed_response_promise<resumed> waiting_to_resume;
  bool repeating = false; ///< a `repeat_unanswered` is under way
  static inline const char* name = "actorpipe.scheduler";
};

/// Monitors every actor that it is introduced to, unless it is supervised.
scheduler_actor::behavior_type
make_scheduler(scheduler_actor::stateful_pointer<scheduler_state> self,
               scheduler_options options);

} // namespace actorpipe
