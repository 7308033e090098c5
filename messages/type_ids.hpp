// SPDX-License-Identifier: Apache-2.0
/// The CAF type-id block of the messages.
///
/// The block starts `ACTORPIPE_FIRST_TYPE_ID` after
/// `caf::first_custom_type_id`, so that a host application's own block can
/// start at the latter. A host whose block is larger moves ours with the CMake
/// option of the same name.
#pragma once

#include "messages/actor_types.hpp"
#include "messages/inspect.hpp"
#include "messages/inspect_cluster.hpp"
#include "messages/messages.hpp"
#include "messages/payload.hpp"

#include <caf/type_id.hpp>

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(actorpipe::payload)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(actorpipe::local_batch)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(actorpipe::local_values)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(actorpipe::values_outcome)

CAF_BEGIN_TYPE_ID_BLOCK(actorpipe,
                        caf::first_custom_type_id + ACTORPIPE_FIRST_TYPE_ID)
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::introduction))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::begin_step))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::edge_data))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::credit))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::accumulated))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::finished))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::prepared))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::apply_update))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::weights))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::applied))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::committed))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::failed))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::abandon))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::abandoned))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::run_next))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::train_request))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::evaluate_request))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::step_outcome))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::get_values))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::set_values))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::begun))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::inquire))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::repeat_unanswered))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::shard))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::get_shard))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::installed))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::replicated))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::fetch))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::halt))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::halted))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::resume))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::resumed))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::give_up))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::join))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::joined))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::ping))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::pong))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::host))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::hosted))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::open_links))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::linked))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::take_inventory))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::inventory))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::trouble))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::replace_process))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::leave))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::get_status))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::node_status))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::connected))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::own_links))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::look_around))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::get_view))
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::cluster_view))
CAF_END_TYPE_ID_BLOCK(actorpipe)
