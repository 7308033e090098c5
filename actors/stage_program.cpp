// SPDX-License-Identifier: Apache-2.0
/// The actions of a stage's program: what each waits for and does.
#include "actors/protocol_error.hpp"
#include "actors/stage_core.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace actorpipe {

bool stage_core::is_ready(const action& next) const {
  const auto& mine = held(next.cell);
  if (!mine.has_version(step_.version))
    return false;
  const auto& edges = options_.how->edges;
  const auto there = [&](std::uint32_t id, bool gradient) {
    return traffic_.has_arrived(id, gradient, next.micro_batch);
  };
  switch (next.kind) {
  case action_kind::forward:
    return std::ranges::all_of(mine.inputs(),
                               [&](auto id) { return there(id, false); })
        && (!mine.target() || there(*mine.target(), false))
        && std::ranges::all_of(mine.outputs(), [&](auto id) {
             return traffic_.may_send(id, false);
           });
  case action_kind::backward:
    return std::ranges::all_of(mine.outputs(),
                               [&](auto id) {
                                 return !edges[id].needs_gradient
                                     || there(id, true);
                               })
        && std::ranges::all_of(mine.inputs(), [&](auto id) {
             return !edges[id].needs_gradient || traffic_.may_send(id, true);
           });
  default:
    return true;
  }
}

// As `is_ready`, for a person.
void stage_core::find_lacks(const action& next) {
  lacks_.clear();
  const auto& mine = held(next.cell);
  const auto m = next.micro_batch;
  mine.for_each_lacking(step_.version, [&](std::uint32_t owner) {
    lacks_.push_back({missing::what::weights, owner, false, m});
  });
  const auto& edges = options_.how->edges;
  const auto need_tensor = [&](std::uint32_t id, bool gradient) {
    if (!traffic_.has_arrived(id, gradient, m))
      lacks_.push_back({missing::what::tensor, id, gradient, m});
  };
  const auto need_credit = [&](std::uint32_t id, bool gradient) {
    if (!traffic_.may_send(id, gradient))
      lacks_.push_back({missing::what::credit, id, gradient, m});
  };
  if (next.kind == action_kind::forward) {
    for (const auto id : mine.inputs())
      need_tensor(id, false);
    if (mine.target())
      need_tensor(*mine.target(), false);
    for (const auto id : mine.outputs())
      need_credit(id, false);
  } else if (next.kind == action_kind::backward) {
    for (const auto id : mine.outputs())
      if (edges[id].needs_gradient)
        need_tensor(id, true);
    for (const auto id : mine.inputs())
      if (edges[id].needs_gradient)
        need_credit(id, true);
  }
}

void stage_core::execute(const action& next) {
  for (const auto& ready : held(next.cell).weights_ready())
    stream_->wait(ready);
  switch (next.kind) {
  case action_kind::forward:
    return forward(next);
  case action_kind::recompute:
    return recompute(next);
  case action_kind::backward:
    return backward(next);
  case action_kind::update:
    return update(next);
  case action_kind::input_gradient:
  case action_kind::weight_gradient:
    throw std::logic_error("a cell computes both parts of a backward at once");
  }
}

void stage_core::forward(const action& next) {
  auto& mine = held(next.cell);
  const auto m = next.micro_batch;
  tensor_list x;
  for (const auto id : mine.inputs())
    x.push_back(take(id, false, m));
  auto& kept = mine.of(m);
  if (mine.target())
    kept.targets = take(*mine.target(), false, m);
  mine.require_fitting(x, kept.targets);
  const auto keep = step_.mode == run_mode::evaluate ? cell::keep::nothing
                  : mine.is_recomputed(m)            ? cell::keep::inputs
                                                     : cell::keep::everything;
  auto result = mine.work().forward(stream_->ops(), step_of(), std::move(x),
                                    kept.targets, step_.micro_batches[m].begin,
                                    mine.present_weights(), keep);
  const auto ready = stream_->record();
  for (std::size_t i = 0; i < mine.outputs().size(); ++i)
    put(mine.outputs()[i], false, m, std::move(result.outputs[i]), ready);
  if (mine.work().has_loss())
    losses_[m] = std::move(result.loss_sum);
  if (step_.mode == run_mode::evaluate) {
    mine.release(m);
    return;
  }
  kept.stash = std::move(result.stash);
  mine.add_contributions(stream_->ops(), std::move(result.contributions));
}

void stage_core::recompute(const action& next) {
  auto& mine = held(next.cell);
  const auto m = next.micro_batch;
  auto& kept = mine.of(m);
  mine.work().recompute(stream_->ops(), step_of(), kept.targets,
                        step_.micro_batches[m].begin, mine.present_weights(),
                        kept.stash);
}

void stage_core::backward(const action& next) {
  auto& mine = held(next.cell);
  const auto m = next.micro_batch;
  const auto& edges = options_.how->edges;
  tensor_list d_y;
  for (const auto id : mine.outputs())
    d_y.push_back(edges[id].needs_gradient ? take(id, true, m) : tensor{});
  const auto wanted = std::ranges::any_of(
    mine.inputs(), [&](auto id) { return edges[id].needs_gradient; });
  auto& sums =
    mine.gradients(stream_->ops(), *options_.where, options_.gradients);
  auto d_x = mine.work().backward(
    stream_->ops(), step_of(), std::move(d_y), step_.micro_batches[m].begin,
    mine.present_weights(), mine.of(m).stash, sums, wanted);
  mine.release(m);
  const auto ready = stream_->record();
  for (std::size_t i = 0; i < mine.inputs().size(); ++i)
    if (edges[mine.inputs()[i]].needs_gradient)
      put(mine.inputs()[i], true, m, std::move(d_x[i]), ready);
}

void stage_core::update(const action& next) {
  auto& mine = held(next.cell);
  mine.gradients(stream_->ops(), *options_.where, options_.gradients);
  const auto ready = stream_->record();
  for (const auto owner : options_.layout->owners_of(next.cell))
    out_.send(
      owner,
      accumulated{current_, next.cell, owner, step_.micro_batches.back().end},
      payload{mine.accumulated_for(owner), ready});
  mine.release_gradients();
}

tensor stage_core::take(std::uint32_t edge, bool gradient,
                        std::uint32_t micro_batch) {
  auto data = traffic_.take(edge, gradient, micro_batch);
  out_.send(credit{current_, micro_batch, edge, gradient});
  stream_->wait(data.ready);
  const auto& range = step_.micro_batches[micro_batch];
  const auto& type = data.tensors[0].type();
  if (type.extents[0] != range.end - range.begin)
    throw protocol_error(
      "edge " + std::to_string(edge) + " brought " + to_string(type)
      + " for micro-batch " + std::to_string(micro_batch) + " of "
      + std::to_string(range.end - range.begin) + " samples");
  return std::move(data.tensors[0]);
}

void stage_core::put(std::uint32_t edge, bool gradient,
                     std::uint32_t micro_batch, tensor value,
                     const event& ready) {
  traffic_.note_sent(edge, gradient, micro_batch);
  out_.send(edge_data{current_, micro_batch, edge, gradient},
            payload{{std::move(value)}, ready});
}

cell_step stage_core::step_of() const {
  return {step_.mode, options_.seed, static_cast<std::uint64_t>(step_.step),
          step_.normalizer};
}

} // namespace actorpipe
