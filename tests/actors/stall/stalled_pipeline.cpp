// SPDX-License-Identifier: Apache-2.0
/// Stages as bare bookkeeping, with one fault planted.
#include "stalled_pipeline.hpp"

#include <algorithm>

namespace actorpipe::test {

namespace {

using fault = planted_fault::kind;

bool turns_back(const action& x) {
  return x.kind == action_kind::backward
      || x.kind == action_kind::input_gradient;
}

} // namespace

stalled_pipeline::stalled_pipeline(const plan& how,
                                   std::vector<program> programs,
                                   planted_fault fault, std::uint64_t seed)
  : how_(how), programs_(std::move(programs)), fault_(fault), random_(seed),
    stages_(how.devices()) {
  for (std::uint32_t id = 0; id < how_.edges.size(); ++id)
    for (const auto gradient : {false, true})
      credits_[{id, gradient}] = how_.edges[id].credits;
  auto& hit = stages_[fault_.stage];
  hit.has_weights = fault_.what != fault::lost_weights;
  hit.has_begun = fault_.what != fault::never_begins;
}

void stalled_pipeline::run() {
  for (;;) {
    std::vector<std::uint32_t> able;
    for (std::uint32_t s = 0; s < stages_.size(); ++s)
      if (can_go(s))
        able.push_back(s);
    const auto choices = able.size() + under_way_.size();
    if (choices == 0 && !feed_one())
      return;
    if (choices == 0)
      continue;
    const auto choice = random_() % choices;
    if (choice < able.size()) {
      go(able[choice]);
      continue;
    }
    const auto at =
      under_way_.begin() + static_cast<std::ptrdiff_t>(choice - able.size());
    const auto x = *at;
    under_way_.erase(at);
    deliver(x);
  }
}

bool stalled_pipeline::is_done() const {
  for (std::uint32_t s = 0; s < stages_.size(); ++s)
    if (stages_[s].cursor < programs_[s].size())
      return false;
  return true;
}

stall_reading stalled_pipeline::read() const {
  stall_reading result;
  result.request = 1;
  for (std::uint32_t s = 0; s < stages_.size(); ++s) {
    const auto& x = stages_[s];
    standing now{s, {7, 0, x.has_begun ? 2U : 1U}, {}, {}, 0, 1, {}};
    now.cursor = static_cast<std::uint32_t>(x.cursor);
    const auto is_done = x.cursor == programs_[s].size();
    if (!is_done)
      now.next = programs_[s][x.cursor];
    now.how = !x.has_begun ? standing::state::idle
            : is_done      ? standing::state::done
            : x.is_stuck && fault_.what == fault::fails
              ? standing::state::failed
            : x.is_computing ? standing::state::computing
                             : standing::state::waiting;
    if (now.how == standing::state::waiting)
      now.lacks = lacks(s);
    result.stages.push_back(std::move(now));
    result.silent_ns.push_back(x.is_stuck && fault_.what == fault::dies ? 5000
                                                                        : 1);
  }
  return result;
}

// -- the rules ----------------------------------------------------------------

std::vector<stalled_pipeline::lane>
stalled_pipeline::takes(const action& x) const {
  std::vector<lane> result;
  for (std::uint32_t id = 0; id < how_.edges.size(); ++id) {
    const auto& e = how_.edges[id];
    if (x.kind == action_kind::forward && e.to == x.cell)
      result.emplace_back(id, false);
    if (turns_back(x) && e.from == x.cell && e.needs_gradient)
      result.emplace_back(id, true);
  }
  return result;
}

std::vector<stalled_pipeline::lane>
stalled_pipeline::writes(const action& x) const {
  std::vector<lane> result;
  for (std::uint32_t id = 0; id < how_.edges.size(); ++id) {
    const auto& e = how_.edges[id];
    if (x.kind == action_kind::forward && e.from == x.cell)
      result.emplace_back(id, false);
    if (turns_back(x) && e.to == x.cell && e.needs_gradient)
      result.emplace_back(id, true);
  }
  return result;
}

std::vector<missing> stalled_pipeline::lacks(std::uint32_t stage) const {
  const auto& next = programs_[stage][stages_[stage].cursor];
  std::vector<missing> result;
  if (!stages_[stage].has_weights)
    result.push_back({missing::what::weights, next.cell, false, 0});
  for (const auto& [edge, gradient] : takes(next))
    if (!arrived_.contains({edge, gradient, next.micro_batch}))
      result.push_back(
        {missing::what::tensor, edge, gradient, next.micro_batch});
  for (const auto& [edge, gradient] : writes(next))
    if (credits_.at({edge, gradient}) == 0)
      result.push_back(
        {missing::what::credit, edge, gradient, next.micro_batch});
  return result;
}

bool stalled_pipeline::can_go(std::uint32_t stage) const {
  const auto& x = stages_[stage];
  if (!x.has_begun || x.is_stuck || x.cursor == programs_[stage].size())
    return false;
  return x.is_computing || lacks(stage).empty();
}

// Starts the next action, or ends the one that runs.
void stalled_pipeline::go(std::uint32_t stage) {
  auto& x = stages_[stage];
  const auto& next = programs_[stage][x.cursor];
  if (!x.is_computing) {
    x.is_computing = true;
    for (const auto& [edge, gradient] : takes(next)) {
      arrived_.erase({edge, gradient, next.micro_batch});
      send({true, edge, gradient, next.micro_batch});
    }
    for (const auto& to : writes(next))
      --credits_[to];
    x.is_stuck = stage == fault_.stage && x.cursor == fault_.count
              && (fault_.what == fault::hangs || fault_.what == fault::fails
                  || fault_.what == fault::dies);
    return;
  }
  x.is_computing = false;
  ++x.cursor;
  for (const auto& [edge, gradient] : writes(next))
    send({false, edge, gradient, next.micro_batch});
}

bool stalled_pipeline::feed_one() {
  for (std::uint32_t id = 0; id < how_.edges.size(); ++id) {
    const auto& e = how_.edges[id];
    if (e.from != edge::feed || credits_[{id, false}] == 0)
      continue;
    auto left = fed_[id];
    for (const auto& x : programs_[how_.device_of_cell[e.to]])
      if (x.cell == e.to && x.kind == action_kind::forward && left-- == 0) {
        ++fed_[id];
        --credits_[{id, false}];
        send({false, id, false, x.micro_batch});
        return true;
      }
  }
  return false;
}

// -- messages -----------------------------------------------------------------

std::uint32_t stalled_pipeline::receiver(const message& x) const {
  const auto& e = how_.edges[x.edge];
  const auto cell = x.is_credit == x.gradient ? e.to : e.from;
  return cell == edge::feed ? cell : how_.device_of_cell[cell];
}

void stalled_pipeline::send(const message& x) {
  const auto losing = x.is_credit ? fault::lost_credit : fault::lost_tensor;
  auto& sent = x.is_credit ? credits_sent_ : tensors_sent_;
  if (fault_.what != losing || sent++ != fault_.count)
    return under_way_.push_back(x);
  const auto other_end =
    receiver({!x.is_credit, x.edge, x.gradient, x.micro_batch});
  lost_.stage = receiver(x);
  lost_.from = other_end;
  lost_.lack = {x.is_credit ? missing::what::credit : missing::what::tensor,
                x.edge, x.gradient, x.micro_batch};
}

void stalled_pipeline::deliver(const message& x) {
  if (x.is_credit)
    ++credits_[{x.edge, x.gradient}];
  else
    arrived_.emplace(x.edge, x.gradient, x.micro_batch);
}

} // namespace actorpipe::test
