// SPDX-License-Identifier: Apache-2.0
/// Registration of the type-id block.
#include "messages/configure.hpp"

#include "messages/type_ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

namespace actorpipe {

void configure(caf::actor_system_config& config) {
  config.add_message_types<caf::id_block::actorpipe>();
}

bool is_configured(caf::actor_system& system) {
  return system.types().make_value("actorpipe::begin_step") != nullptr;
}

} // namespace actorpipe
