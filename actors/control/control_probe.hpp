// SPDX-License-Identifier: Apache-2.0
/// Finds out why somebody does not answer as a node would.
#pragma once

#include "actors/control/deadline_socket.hpp"

#include <caf/fwd.hpp>

#include <string>

namespace actorpipe {

/// Connects to `where` as `system` does, looks at the first bytes that come
/// back, and closes again. Says what is wrong in words for people, without
/// naming the endpoint; empty when all is well. What a peer without a
/// certificate sends is compared, not decoded. Blocks until `until` at most.
std::string find_obstacle(caf::actor_system& system, const endpoint& where,
                          deadline until);

/// What is said of somebody who accepts connections of `system` and is silent.
std::string describe_silence(caf::actor_system& system);

} // namespace actorpipe
