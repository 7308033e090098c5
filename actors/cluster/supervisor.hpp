// SPDX-License-Identifier: Apache-2.0
/// The supervisor actor: a `supervisor_core` behind a mailbox.
#pragma once

#include "actors/cluster/post_office.hpp"
#include "actors/cluster/supervisor_core.hpp"
#include "actors/pipeline_parts.hpp"
#include "messages/actor_types.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace actorpipe {

/// How a supervisor reaches its surroundings.
struct supervisor_environment {
  scheduler_actor scheduler; ///< of this process
  /// Of this process; shared with nobody.
  std::unique_ptr<post_office> office;
  pipeline_parts parts;
  /// Reaches for a node and sends the supervisor `connected`, some time.
  std::function<void(std::uint32_t node, const std::string& address,
                     supervisor_actor supervisor)>
    connect;
  std::shared_ptr<fault_injector> faults; ///< on purpose; null: none
};

struct supervisor_state {
  std::shared_ptr<supervisor_environment> around;
  std::unique_ptr<supervisor_core::outbox> out;
  std::unique_ptr<supervisor_core> core;
  static inline const char* name = "actorpipe.supervisor";
};

/// Begins at once.
supervisor_actor::behavior_type
make_supervisor(supervisor_actor::stateful_pointer<supervisor_state> self,
                supervisor_options options,
                std::shared_ptr<supervisor_environment> around);

} // namespace actorpipe
