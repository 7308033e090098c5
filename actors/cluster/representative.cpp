// SPDX-License-Identifier: Apache-2.0
/// Control by CAF, tensors by links.
#include "actors/cluster/representative.hpp"

#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/message.hpp>
#include <caf/send.hpp>

#include <utility>

namespace actorpipe {

namespace {

void pass(const caf::strong_actor_ptr& to, caf::message what) {
  if (to)
    caf::anon_send(caf::actor_cast<caf::actor>(to), std::move(what));
}

} // namespace

caf::behavior make_representative(caf::event_based_actor* self,
                                  caf::strong_actor_ptr control,
                                  caf::strong_actor_ptr data) {
  self->set_default_handler(
    [control](caf::scheduled_actor*,
              caf::message_view& what) -> caf::result<caf::message> {
      pass(control, what.move_content_to_message());
      return caf::delegated<caf::message>{};
    });
  return {
    [data](const edge_data& header, payload& tensors) {
      pass(data, caf::make_message(header, std::move(tensors)));
    },
    [data](const shard& header, payload& tensors) {
      pass(data, caf::make_message(header, std::move(tensors)));
    },
  };
}

} // namespace actorpipe
