// SPDX-License-Identifier: Apache-2.0
/// The wire form of the messages between the supervisor and the nodes.
#pragma once

#include "messages/cluster_messages.hpp"
#include "messages/inspect.hpp"
#include "messages/real_bits.hpp"

#include <caf/meta/type_name.hpp>

namespace actorpipe {

// Plain values of the folders below.

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, edge& x) {
  return f(caf::meta::type_name("edge"), x.from, x.to, x.ordinal, x.is_target,
           x.needs_gradient, x.type, x.bytes, x.credits);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, plan& x) {
  return f(caf::meta::type_name("plan"), x.cut, x.device_of_cell, x.edges,
           x.schedule, x.recompute, x.micro_batches, x.micro_batch_samples,
           x.programs);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, optimizer_options& x) {
  return f(caf::meta::type_name("optimizer_options"), x.kind,
           as_bits(x.momentum), x.nesterov, as_bits(x.alpha), as_bits(x.beta1),
           as_bits(x.beta2), as_bits(x.epsilon), as_bits(x.weight_decay));
}

// Parts of messages.

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, missing& x) {
  return f(caf::meta::type_name("missing"), x.kind, x.edge, x.gradient,
           x.micro_batch);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, standing& x) {
  return f(caf::meta::type_name("standing"), x.stage, x.id, x.how, x.next,
           x.cursor, x.for_ns, x.lacks);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, job& x) {
  return f(caf::meta::type_name("job"), x.run, x.seed, x.model, x.optimizer,
           x.how, x.threads_per_stage, x.replicates, x.faults);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, node_facts& x) {
  return f(caf::meta::type_name("node_facts"), x.protocol, x.software,
           x.incarnation, x.name, x.devices, x.registry_hash, x.fingerprint,
           x.link_port);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, node_view& x) {
  return f(caf::meta::type_name("node_view"), x.address, x.state, x.silent_ns,
           x.devices, x.stages);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, cluster_view& x) {
  return f(caf::meta::type_name("cluster_view"), x.run, x.trainer, x.version,
           x.attempt, x.recoveries, x.nodes);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, link_address& x) {
  return f(caf::meta::type_name("link_address"), x.process, x.session, x.host,
           x.port);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, placement_map& x) {
  return f(caf::meta::type_name("placement_map"), x.node_of_stage,
           x.device_of_stage, x.keeper_of_cell, x.source_of_cell, x.links);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, held_shard& x) {
  return f(caf::meta::type_name("held_shard"), x.cell, x.version, x.is_replica);
}

// Messages, in the order of cluster_messages.hpp.

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, join& x) {
  return f(caf::meta::type_name("join"), x.run, x.session, x.index, x.trainer,
           x.patience_ns);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, joined& x) {
  return f(caf::meta::type_name("joined"), x.run, x.session, x.index, x.refusal,
           x.facts);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, ping& x) {
  return f(caf::meta::type_name("ping"), x.run, x.session, x.count, x.view);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, pong& x) {
  return f(caf::meta::type_name("pong"), x.run, x.session, x.index, x.count,
           x.stages);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, host& x) {
  return f(caf::meta::type_name("host"), x.run, x.session, x.attempt, x.what,
           x.where, x.scheduler);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, hosted& x) {
  return f(caf::meta::type_name("hosted"), x.run, x.attempt, x.index, x.failure,
           x.stages, x.stage_actors, x.cells, x.parameter_actors, x.keeper);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, open_links& x) {
  return f(caf::meta::type_name("open_links"), x.run, x.session, x.attempt);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, linked& x) {
  return f(caf::meta::type_name("linked"), x.run, x.attempt, x.index,
           x.failure);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, take_inventory& x) {
  return f(caf::meta::type_name("take_inventory"), x.run, x.session, x.attempt);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, inventory& x) {
  return f(caf::meta::type_name("inventory"), x.run, x.attempt, x.index,
           x.shards);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, trouble& x) {
  return f(caf::meta::type_name("trouble"), x.run, x.session, x.attempt,
           x.index, x.what);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, replace_process& x) {
  return f(caf::meta::type_name("replace_process"), x.run, x.session);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, leave& x) {
  return f(caf::meta::type_name("leave"), x.run, x.session);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, get_status&) {
  return f(caf::meta::type_name("get_status"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, node_status& x) {
  return f(caf::meta::type_name("node_status"), x.facts, x.run, x.index,
           x.silent_ns, x.stages, x.view);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, connected& x) {
  return f(caf::meta::type_name("connected"), x.index, x.node, x.failure);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, own_links& x) {
  return f(caf::meta::type_name("own_links"), x.attempt, x.failure);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, look_around&) {
  return f(caf::meta::type_name("look_around"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, get_view&) {
  return f(caf::meta::type_name("get_view"));
}

} // namespace actorpipe
