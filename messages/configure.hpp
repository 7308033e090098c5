// SPDX-License-Identifier: Apache-2.0
/// Makes an actor system know the messages of actorpipe.
#pragma once

#include <caf/fwd.hpp>

namespace actorpipe {

/// Registers the messages in `config`, which may be a host application's own
/// with other types besides. Call it before the `actor_system` is made.
void configure(caf::actor_system_config& config);

/// Whether `system` was made from a configuration that was configured.
bool is_configured(caf::actor_system& system);

} // namespace actorpipe
