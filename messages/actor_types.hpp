// SPDX-License-Identifier: Apache-2.0
/// The typed interfaces of the actors, and how they are introduced.
#pragma once

#include "messages/cluster_messages.hpp"
#include "messages/messages.hpp"
#include "messages/payload.hpp"

#include <caf/meta/type_name.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include <cstdint>
#include <vector>

namespace actorpipe {

/// Whoever spawned it -> everyone, before anything else of the attempt: who the
/// others are. A handle may stand for a link to the process where that actor
/// lives. The actor monitors nobody, except the scheduler where nobody else
/// does. A later attempt replaces what an earlier one said.
struct introduction {
  std::uint64_t run = 0;
  std::uint64_t attempt = 0;
  caf::strong_actor_ptr scheduler;
  /// Takes the credits of what the scheduler feeds, and shards for it: the
  /// scheduler itself where it lives in this process.
  caf::strong_actor_ptr feed;
  std::vector<caf::strong_actor_ptr> stages;     ///< per device of the plan
  std::vector<caf::strong_actor_ptr> parameters; ///< per cell
  /// Per cell: who keeps its replica; null where nobody does, empty where
  /// nothing is replicated.
  std::vector<caf::strong_actor_ptr> keepers;
  /// Per cell: whom a parameter actor that lacks the version asked for fetches
  /// it from; null, or empty, where there is nobody.
  std::vector<caf::strong_actor_ptr> sources;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, introduction& x) {
  return f(caf::meta::type_name("introduction"), x.run, x.attempt, x.scheduler,
           x.feed, x.stages, x.parameters, x.keepers, x.sources);
}

/// Runs the program of one device.
using stage_actor =
  caf::typed_actor<caf::reacts_to<introduction>, caf::reacts_to<begin_step>,
                   caf::reacts_to<inquire>, caf::reacts_to<edge_data, payload>,
                   caf::reacts_to<credit>, caf::reacts_to<weights, payload>,
                   caf::reacts_to<abandon>, caf::reacts_to<run_next>>;

/// Owns the versions of one cell's parameters.
using parameter_actor =
  caf::typed_actor<caf::reacts_to<introduction>,
                   caf::reacts_to<accumulated, payload>,
                   caf::reacts_to<inquire>, caf::reacts_to<apply_update>,
                   caf::reacts_to<committed>, caf::reacts_to<abandon>,
                   caf::reacts_to<get_shard>, caf::reacts_to<shard, payload>,
                   caf::replies_to<take_inventory>::with<inventory>>;

/// Keeps replicas of cells whose owners live in other processes.
using keeper_actor =
  caf::typed_actor<caf::reacts_to<introduction>, caf::reacts_to<shard, payload>,
                   caf::reacts_to<inquire>, caf::reacts_to<fetch>,
                   caf::reacts_to<abandon>,
                   caf::replies_to<take_inventory>::with<inventory>>;

/// Enforces the order of work and the barrier between mini-batches.
using scheduler_actor = caf::typed_actor<
  caf::reacts_to<introduction>, caf::reacts_to<credit>, caf::reacts_to<begun>,
  caf::reacts_to<finished>, caf::reacts_to<prepared>, caf::reacts_to<applied>,
  caf::reacts_to<failed>, caf::reacts_to<abandoned>,
  caf::reacts_to<shard, payload>, caf::reacts_to<installed>,
  caf::reacts_to<replicated>,
  caf::replies_to<train_request, local_batch>::with<step_outcome>,
  caf::replies_to<evaluate_request, local_batch>::with<step_outcome>,
  caf::replies_to<get_values>::with<values_outcome>,
  caf::replies_to<set_values, local_values>::with<values_outcome>,
  caf::replies_to<halt>::with<halted>, caf::replies_to<resume>::with<resumed>,
  caf::reacts_to<give_up>, caf::reacts_to<repeat_unanswered>>;

/// Lends the devices of one process. The only actor that others can reach by
/// an address.
using node_actor = caf::typed_actor<
  caf::replies_to<join>::with<joined>, caf::replies_to<ping>::with<pong>,
  caf::replies_to<host>::with<hosted>,
  caf::replies_to<open_links>::with<linked>,
  caf::replies_to<take_inventory>::with<inventory>, caf::reacts_to<own_links>,
  caf::reacts_to<trouble>, caf::reacts_to<look_around>,
  caf::reacts_to<replace_process>, caf::reacts_to<leave>,
  caf::replies_to<get_status>::with<node_status>>;

/// Watches the nodes of a run, places its stages on them, and turns a fault
/// into a new attempt.
using supervisor_actor =
  caf::typed_actor<caf::reacts_to<connected>, caf::reacts_to<own_links>,
                   caf::reacts_to<trouble>, caf::reacts_to<look_around>,
                   caf::replies_to<get_view>::with<cluster_view>>;

} // namespace actorpipe
