// SPDX-License-Identifier: Apache-2.0
/// Follows what each stage lacks to whoever is to send it.
#include "actors/stall/wait_graph.hpp"

#include "actors/stall/programs_at_hand.hpp"

#include <algorithm>
#include <cstddef>

namespace actorpipe {

namespace {

using state = standing::state;

// Whether the action takes the tensors that come in that way; the same actions
// of the cell at the other end of the edge write them.
bool moves(const action& x, bool gradient) {
  return gradient ? x.kind == action_kind::backward
                      || x.kind == action_kind::input_gradient
                  : x.kind == action_kind::forward;
}

std::uint32_t writer_of(const edge& x, bool gradient) {
  return gradient ? x.to : x.from;
}

std::uint32_t taker_of(const edge& x, bool gradient) {
  return gradient ? x.from : x.to;
}

} // namespace

wait_graph::wait_graph(const plan& how, std::span<const standing> stages)
  : how_(how), stages_(how.devices()) {
  for (std::uint32_t s = 0; s < stages_.size(); ++s)
    stages_[s].stage = s;
  for (const auto& x : stages)
    if (x.stage < stages_.size())
      stages_[x.stage] = x;
  programs_ = programs_at_hand(how_, stages_);
  for (auto& x : stages_) {
    const auto length = programs_[x.stage].size();
    x.cursor =
      static_cast<std::uint32_t>(std::min<std::size_t>(x.cursor, length));
    newest_ = std::max(newest_, x.id);
  }
  for (const auto& x : stages_)
    if (x.how == state::waiting && !is_behind(x.stage))
      for (const auto& lack : x.lacks)
        if (auto found = wait_for(x, lack))
          waits_.push_back(*found);
}

bool wait_graph::is_behind(std::uint32_t stage) const {
  return stages_[stage].id < newest_;
}

std::uint32_t wait_graph::stage_of(std::uint32_t cell) const {
  return cell == edge::feed ? edge::feed : how_.device_of_cell[cell];
}

std::optional<stage_wait> wait_graph::wait_for(const standing& who,
                                               const missing& lack) const {
  stage_wait result{who.stage, lack, 0, std::nullopt, false};
  switch (lack.kind) {
  case missing::what::tensor:
  case missing::what::credit:
    if (lack.edge >= how_.edges.size())
      return std::nullopt;
    if (lack.kind == missing::what::tensor)
      find_sender(result);
    else
      find_taker(who, result);
    return result;
  case missing::what::weights:
    if (lack.edge >= how_.cells())
      return std::nullopt;
    result.from = stage_of(lack.edge);
    result.is_sent = true;
    return result;
  }
  return std::nullopt;
}

// Of a tensor.
void wait_graph::find_sender(stage_wait& x) const {
  const auto& lack = x.lack;
  const auto cell = writer_of(how_.edges[lack.edge], lack.gradient);
  x.from = stage_of(cell);
  if (x.from == edge::feed)
    return;
  const auto& steps = programs_[x.from];
  const auto found = std::ranges::find_if(steps, [&](const action& step) {
    return step.cell == cell && step.micro_batch == lack.micro_batch
        && moves(step, lack.gradient);
  });
  if (found == steps.end())
    return;
  x.after = *found;
  x.is_sent = has_ended(x.from, *found);
}

// Of a credit: with `credits` of them, the n-th tensor may leave once the
// (n - credits)-th is taken.
void wait_graph::find_taker(const standing& who, stage_wait& x) const {
  const auto& lack = x.lack;
  const auto& crossing = how_.edges[lack.edge];
  const auto cell = taker_of(crossing, lack.gradient);
  x.from = stage_of(cell);
  if (x.from == edge::feed)
    return;
  const auto writes = [&](const action& step) {
    return step.cell == writer_of(crossing, lack.gradient)
        && moves(step, lack.gradient);
  };
  const auto& mine = programs_[who.stage];
  const auto sent =
    std::count_if(mine.begin(), mine.begin() + who.cursor, writes);
  auto left = sent - static_cast<std::ptrdiff_t>(crossing.credits);
  for (const auto& step : programs_[x.from])
    if (step.cell == cell && moves(step, lack.gradient) && left-- == 0) {
      x.after = step;
      x.is_sent = has_started(x.from, step);
      return;
    }
}

bool wait_graph::has_ended(std::uint32_t stage, const action& what) const {
  const auto& x = stages_[stage];
  if (is_behind(stage) || x.how == state::idle)
    return false;
  if (x.how == state::done)
    return true;
  const auto& steps = programs_[stage];
  const auto done = steps.begin() + x.cursor;
  return std::find(steps.begin(), done, what) != done;
}

bool wait_graph::has_started(std::uint32_t stage, const action& what) const {
  const auto& x = stages_[stage];
  return has_ended(stage, what)
      || (!is_behind(stage) && x.how == state::computing && x.next == what);
}

} // namespace actorpipe
