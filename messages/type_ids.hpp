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
#include "messages/messages.hpp"
#include "messages/payload.hpp"

#include <caf/type_id.hpp>

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(actorpipe::payload)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(actorpipe::local_batch)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(actorpipe::cell_values)

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
CAF_ADD_TYPE_ID(actorpipe, (actorpipe::set_version))
CAF_END_TYPE_ID_BLOCK(actorpipe)
