// SPDX-License-Identifier: Apache-2.0
/// The typed interfaces of the actors, and how they are introduced.
#pragma once

#include "messages/messages.hpp"
#include "messages/payload.hpp"

#include <caf/meta/type_name.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include <vector>

namespace actorpipe {

/// pipeline -> everyone, once, before anything else: who the others are. The
/// actor monitors nobody; the scheduler monitors all.
struct introduction {
  caf::strong_actor_ptr scheduler;
  std::vector<caf::strong_actor_ptr> stages;     ///< per device of the plan
  std::vector<caf::strong_actor_ptr> parameters; ///< per cell
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, introduction& x) {
  return f(caf::meta::type_name("introduction"), x.scheduler, x.stages,
           x.parameters);
}

/// Runs the program of one device.
using stage_actor =
  caf::typed_actor<caf::reacts_to<introduction>, caf::reacts_to<begin_step>,
                   caf::reacts_to<edge_data, payload>, caf::reacts_to<credit>,
                   caf::reacts_to<weights, payload>, caf::reacts_to<abandon>,
                   caf::reacts_to<run_next>>;

/// Owns the versions of one cell's parameters.
using parameter_actor = caf::typed_actor<
  caf::reacts_to<introduction>, caf::reacts_to<accumulated, payload>,
  caf::reacts_to<apply_update>, caf::reacts_to<committed>,
  caf::reacts_to<abandon>, caf::replies_to<get_values>::with<cell_values>,
  caf::replies_to<cell_values>::with<bool>>;

/// Enforces the order of work and the barrier between mini-batches.
using scheduler_actor = caf::typed_actor<
  caf::reacts_to<introduction>, caf::reacts_to<credit>,
  caf::reacts_to<finished>, caf::reacts_to<prepared>, caf::reacts_to<applied>,
  caf::reacts_to<failed>, caf::reacts_to<abandoned>,
  caf::replies_to<train_request, local_batch>::with<step_outcome>,
  caf::replies_to<evaluate_request, local_batch>::with<step_outcome>,
  caf::replies_to<set_version>::with<bool>>;

} // namespace actorpipe
