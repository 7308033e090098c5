// SPDX-License-Identifier: Apache-2.0
/// An actor of this application that drives a pipeline by messages.
#pragma once

#include "types.hpp"

#include <actorpipe/compute/data/data_source.hpp>
#include <actorpipe/messages/actor_types.hpp>

#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/response_promise.hpp>
#include <caf/stateful_actor.hpp>

#include <cstdint>
#include <memory>

namespace embed {

struct trainer_state {
  actorpipe::scheduler_actor scheduler;
  std::shared_ptr<actorpipe::data_source> data;
  std::int64_t steps = 0;
  summary result;
  caf::response_promise asker;
  static inline const char* name = "embed.trainer";
};

/// Answers `start` with `summary` once all steps are made. `scheduler` belongs
/// to a pipeline that outlives the actor.
caf::behavior make_trainer(caf::stateful_actor<trainer_state>* self,
                           actorpipe::scheduler_actor scheduler,
                           std::shared_ptr<actorpipe::data_source> data);

} // namespace embed
