// SPDX-License-Identifier: Apache-2.0
/// An actor that stands for another one.
#include "actors/faults/control_relay.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>

#include <utility>

namespace actorpipe {

namespace {

caf::behavior make_relay(caf::event_based_actor* self, const caf::actor& to,
                         std::function<bool()> loses) {
  self->monitor(to);
  self->set_down_handler(
    [self](const caf::down_msg& down) { self->quit(down.reason); });
  self->set_default_handler(
    [self, to, loses = std::move(loses)](
      caf::scheduled_actor*,
      caf::message_view& what) -> caf::result<caf::message> {
      if (loses())
        self->make_response_promise(); // takes the answer's place, unmet
      else
        self->delegate(to, what.move_content_to_message());
      return caf::delegated<caf::message>{};
    });
  // An actor lives as long as it has a behaviour; nobody sends this.
  return {[](caf::unit_t) {}};
}

} // namespace

caf::strong_actor_ptr relay_control(caf::actor_system& system,
                                    caf::strong_actor_ptr to,
                                    std::function<bool()> loses) {
  return caf::actor_cast<caf::strong_actor_ptr>(system.spawn<caf::hidden>(
    make_relay, caf::actor_cast<caf::actor>(std::move(to)), std::move(loses)));
}

} // namespace actorpipe
