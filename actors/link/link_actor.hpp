// SPDX-License-Identifier: Apache-2.0
/// Stands in this process for the actors of another one.
#pragma once

#include "actors/link/link_sender.hpp"
#include "partition/plan.hpp"

#include <caf/actor.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>

#include <memory>
#include <string>
#include <vector>

namespace actorpipe {

/// Spawns an actor that posts every data message to `link`: `edge_data`,
/// `accumulated`, `weights` and `shard` with their payloads, `credit`, `fetch`.
/// Who the message is for stands in its header. In an introduction the actor
/// takes the place of any actor of the other process, as far as tensors,
/// credits and replicas go; `actor_cast` gives the handle of the type wanted.
/// Ends with the exit message that it is sent, and releases `link` then.
caf::actor spawn_link_actor(caf::actor_system& system,
                            std::shared_ptr<link_sender> link);

/// The actors of this process that take what comes over links; null, or a list
/// too short, where an actor lives elsewhere.
struct local_actors {
  std::shared_ptr<const plan> how;
  caf::strong_actor_ptr scheduler;
  caf::strong_actor_ptr keeper;
  std::vector<caf::strong_actor_ptr> stages;     ///< per device of the plan
  std::vector<caf::strong_actor_ptr> parameters; ///< per cell
};

/// Sends a message on to its recipient in this process. Returns an empty text,
/// or why there is none. From any thread.
std::string deliver(link_message message, const local_actors& here);

} // namespace actorpipe
