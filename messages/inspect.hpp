// SPDX-License-Identifier: Apache-2.0
/// The wire form of the messages: how CAF walks through their fields.
#pragma once

#include "messages/messages.hpp"
#include "messages/real_bits.hpp"

#include <caf/meta/type_name.hpp>

namespace actorpipe {

// Plain values of the folders below.

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, action& x) {
  return f(caf::meta::type_name("action"), x.cell, x.kind, x.micro_batch);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, sample_range& x) {
  return f(caf::meta::type_name("sample_range"), x.begin, x.end);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, work_id& x) {
  return f(caf::meta::type_name("work_id"), x.run, x.attempt, x.batch);
}

// Messages, in the order of messages.hpp.

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, begin_step& x) {
  return f(caf::meta::type_name("begin_step"), x.id, x.mode, x.step, x.version,
           as_bits(x.normalizer), x.micro_batches, x.actions, x.tries);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, edge_data& x) {
  return f(caf::meta::type_name("edge_data"), x.id, x.micro_batch, x.edge,
           x.gradient);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, credit& x) {
  return f(caf::meta::type_name("credit"), x.id, x.micro_batch, x.edge,
           x.gradient);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, accumulated& x) {
  return f(caf::meta::type_name("accumulated"), x.id, x.cell, x.owner,
           x.samples);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, action_record& x) {
  return f(caf::meta::type_name("action_record"), x.what, x.ready_ns,
           x.start_ns, x.end_ns);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, finished& x) {
  return f(caf::meta::type_name("finished"), x.id, x.stage, x.executed,
           as_bits(x.loss_sums));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, prepared& x) {
  return f(caf::meta::type_name("prepared"), x.id, x.cell,
           as_bits(x.sums_of_squares));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, apply_update& x) {
  return f(caf::meta::type_name("apply_update"), x.id, x.version,
           as_bits(x.learning_rate), as_bits(x.gradient_scale));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, weights& x) {
  return f(caf::meta::type_name("weights"), x.run, x.attempt, x.edition,
           x.version, x.owner, x.user);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, applied& x) {
  return f(caf::meta::type_name("applied"), x.id, x.cell);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, committed& x) {
  return f(caf::meta::type_name("committed"), x.id);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, failed& x) {
  return f(caf::meta::type_name("failed"), x.id, x.code, x.text);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, abandon& x) {
  return f(caf::meta::type_name("abandon"), x.run, x.attempt, x.version,
           x.settled);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, abandoned& x) {
  return f(caf::meta::type_name("abandoned"), x.run, x.attempt, x.who);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, run_next&) {
  return f(caf::meta::type_name("run_next"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, train_request& x) {
  return f(caf::meta::type_name("train_request"), x.step,
           as_bits(x.learning_rate), as_bits(x.max_norm));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, evaluate_request& x) {
  return f(caf::meta::type_name("evaluate_request"), x.micro_batches);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, step_report& x) {
  return f(caf::meta::type_name("step_report"), as_bits(x.loss), x.targets,
           as_bits(x.gradient_norm), as_bits(x.clip_factor), x.updates,
           as_bits(x.bubble), x.duration_ns, x.timeline);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, step_failure& x) {
  return f(caf::meta::type_name("step_failure"), x.code, x.text, x.version);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, step_outcome& x) {
  return f(caf::meta::type_name("step_outcome"), x.ok, x.report, x.failure);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, begun& x) {
  return f(caf::meta::type_name("begun"), x.id, x.stage);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, inquire& x) {
  return f(caf::meta::type_name("inquire"), x.id);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, repeat_unanswered&) {
  return f(caf::meta::type_name("repeat_unanswered"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, shard& x) {
  return f(caf::meta::type_name("shard"), x.id, x.purpose, x.cell, x.version);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, get_shard& x) {
  return f(caf::meta::type_name("get_shard"), x.id);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, installed& x) {
  return f(caf::meta::type_name("installed"), x.id, x.cell);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, replicated& x) {
  return f(caf::meta::type_name("replicated"), x.id, x.cell, x.version);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, fetch& x) {
  return f(caf::meta::type_name("fetch"), x.id, x.cell, x.version);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, get_values&) {
  return f(caf::meta::type_name("get_values"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, set_values&) {
  return f(caf::meta::type_name("set_values"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, halt& x) {
  return f(caf::meta::type_name("halt"), x.run, x.count, x.why);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, halted& x) {
  return f(caf::meta::type_name("halted"), x.run, x.count, x.attempt,
           x.version);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, resume& x) {
  return f(caf::meta::type_name("resume"), x.run, x.attempt, x.version);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, resumed& x) {
  return f(caf::meta::type_name("resumed"), x.run, x.attempt);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, give_up& x) {
  return f(caf::meta::type_name("give_up"), x.run, x.why);
}

} // namespace actorpipe
