// SPDX-License-Identifier: Apache-2.0
/// Runs the program of one device.
#include "actors/stage_core.hpp"

#include "compute/ops/to_host.hpp"

#include <algorithm>
#include <cassert>
#include <exception>
#include <utility>

namespace actorpipe {

stage_core::stage_core(stage_options options, outbox& out)
  : options_(std::move(options)), out_(out),
    stream_(options_.where->make_stream(options_.activations)) {
  current_.run = options_.run;
  const auto& how = *options_.how;
  for (std::uint32_t i = 0; i < how.cells(); ++i)
    if (how.device_of_cell[i] == options_.stage)
      cells_.emplace_back(options_.source, how, *options_.layout, i);
}

held_cell& stage_core::held(std::uint32_t index) {
  const auto found =
    std::find_if(cells_.begin(), cells_.end(),
                 [&](const auto& x) { return x.index() == index; });
  assert(found != cells_.end());
  return *found;
}

const held_cell& stage_core::held(std::uint32_t index) const {
  return const_cast<stage_core*>(this)->held(index);
}

// -- messages -----------------------------------------------------------------

void stage_core::accept(const begin_step& message) {
  if (message.id.run != options_.run || message.id <= current_)
    return;
  current_ = message.id;
  step_ = message;
  active_ = true;
  cursor_ = 0;
  if (early_id_ == message.id)
    traffic_ = std::exchange(early_, {});
  else
    traffic_.reset(options_.how->edges);
  losses_.assign(message.micro_batches.size(), {});
  executed_.clear();
  idle_since_ns_ = options_.now_ns();
  for (auto& x : cells_)
    x.reset(message.micro_batches.size(), message.actions);
  if (message.actions.empty())
    finish();
}

void stage_core::accept(const edge_data& header, payload data) {
  if (header.id.run != options_.run || header.id < current_)
    return;
  for (const auto& x : data.tensors)
    x.charge_to(options_.activations);
  if (header.id == current_) {
    if (active_)
      note(traffic_.accept(header, std::move(data)), header);
    return;
  }
  // One mini-batch is worked on at a time: of those to come, only the latest
  // that was heard of can still begin.
  if (header.id < early_id_)
    return;
  if (header.id > early_id_) {
    early_id_ = header.id;
    early_.reset(options_.how->edges);
  }
  note(early_.accept(header, std::move(data)), header);
}

void stage_core::note(edge_traffic::arrival how, const edge_data& header) {
  std::string fault;
  switch (how) {
  case edge_traffic::arrival::kept:
  case edge_traffic::arrival::repeated:
    return;
  case edge_traffic::arrival::beyond_bound:
    fault = "edge " + std::to_string(header.edge) + " brought micro-batch "
          + std::to_string(header.micro_batch) + " without a credit";
    break;
  case edge_traffic::arrival::unknown:
    fault = "a tensor came over edge " + std::to_string(header.edge)
          + ", which the plan does not have";
    break;
  }
  if (header.id == current_)
    return fail(error_code::protocol_violated, fault);
  out_.send(failed{header.id, error_code::protocol_violated,
                   "stage " + std::to_string(options_.stage) + ": " + fault});
}

void stage_core::accept(const credit& message) {
  if (message.id != current_ || !active_ || traffic_.note_credit(message))
    return;
  fail(error_code::protocol_violated,
       "a credit of edge " + std::to_string(message.edge)
         + " was returned for micro-batch "
         + std::to_string(message.micro_batch) + ", which was not sent");
}

void stage_core::accept(const weights& header, payload data) {
  if (header.run == options_.run && header.attempt >= current_.attempt)
    held(header.user).accept(header, data);
}

void stage_core::accept(const abandon& message) {
  if (message.run != options_.run || message.attempt < current_.attempt)
    return;
  if (message.attempt > current_.attempt) {
    current_ = {message.run, message.attempt, 0};
    active_ = false;
    step_ = {};
    early_ = {};
    early_id_ = {};
    traffic_.reset({});
    losses_.clear();
    for (auto& x : cells_) {
      x.reset(0, {});
      x.forget_versions_after(message.version);
    }
  }
  out_.send(abandoned{message.run, message.attempt,
                      "stage " + std::to_string(options_.stage)});
}

// -- the program --------------------------------------------------------------

bool stage_core::runnable() const {
  return active_ && cursor_ < step_.actions.size()
      && is_ready(step_.actions[cursor_]);
}

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

void stage_core::run_next() {
  assert(runnable());
  const auto next = step_.actions[cursor_];
  action_record record{next, idle_since_ns_, options_.now_ns(), 0};
  try {
    execute(next);
  } catch (const std::exception& error) {
    fail(error_code::layer_failed, error.what());
    return;
  }
  record.end_ns = options_.now_ns();
  idle_since_ns_ = record.end_ns;
  executed_.push_back(record);
  if (++cursor_ == step_.actions.size())
    finish();
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

// -- helpers ------------------------------------------------------------------

tensor stage_core::take(std::uint32_t edge, bool gradient,
                        std::uint32_t micro_batch) {
  auto data = traffic_.take(edge, gradient, micro_batch);
  out_.send(credit{current_, micro_batch, edge, gradient});
  stream_->wait(data.ready);
  return std::move(data.tensors.at(0));
}

void stage_core::put(std::uint32_t edge, bool gradient,
                     std::uint32_t micro_batch, tensor value,
                     const event& ready) {
  traffic_.note_sent(edge, gradient, micro_batch);
  out_.send(edge_data{current_, micro_batch, edge, gradient},
            payload{{std::move(value)}, ready});
}

void stage_core::finish() {
  active_ = false;
  finished message{current_, options_.stage, std::move(executed_), {}};
  executed_.clear();
  try {
    auto& ops = stream_->ops();
    tensor_list host;
    for (const auto& x : losses_)
      if (x.defined())
        host.push_back(to_host(ops, x));
    stream_->record().wait();
    for (const auto& x : host)
      message.loss_sums.push_back(*x.data<double>());
  } catch (const std::exception& error) {
    fail(error_code::layer_failed, error.what());
    return;
  }
  losses_.clear();
  out_.send(std::move(message));
}

void stage_core::fail(error_code code, const std::string& text) {
  const auto at = cursor();
  active_ = false;
  for (auto& x : cells_)
    x.reset(0, {});
  traffic_.reset({});
  losses_.clear();
  out_.send(failed{current_, code,
                   "stage " + std::to_string(options_.stage)
                     + (at.empty() ? "" : ", action " + at) + ": " + text});
}

std::string stage_core::cursor() const {
  return cursor_ < step_.actions.size() ? to_string(step_.actions[cursor_])
                                        : std::string{};
}

cell_step stage_core::step_of() const {
  return {step_.mode, options_.seed, static_cast<std::uint64_t>(step_.step),
          step_.normalizer};
}

} // namespace actorpipe
