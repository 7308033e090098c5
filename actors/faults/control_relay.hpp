// SPDX-License-Identifier: Apache-2.0
/// An actor that stands for another one and loses some of what it is sent.
#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>

#include <functional>

namespace actorpipe {

/// Whoever knows the result takes it for `to`: every message is handed on, a
/// request with the place for its answer, unless `loses` says at that moment
/// that it gets lost, or `to` has gone. It ends, with the same reason, when
/// `to` does; whoever monitors it is told then. `loses` is called from the
/// result's thread.
caf::strong_actor_ptr relay_control(caf::actor_system& system,
                                    caf::strong_actor_ptr to,
                                    std::function<bool()> loses);

} // namespace actorpipe
