// SPDX-License-Identifier: Apache-2.0
/// The messages of a stage, and the mini-batch at hand.
#include "actors/stage_core.hpp"

#include "actors/payload_types.hpp"
#include "actors/protocol_error.hpp"
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
  show(standing::state::idle);
}

held_cell& stage_core::held(std::uint32_t index) {
  const auto found = std::ranges::find(cells_, index, &held_cell::index);
  assert(found != cells_.end());
  return *found;
}

const held_cell& stage_core::held(std::uint32_t index) const {
  return const_cast<stage_core*>(this)->held(index);
}

// -- what the scheduler is told -----------------------------------------------

void stage_core::say(answer what) {
  said_ = std::move(what);
  repeat();
}

void stage_core::repeat() {
  std::visit(
    [this](const auto& x) {
      if constexpr (!std::is_same_v<decltype(x), const std::monostate&>)
        out_.send(x);
    },
    said_);
}

void stage_core::accept(const inquire& message) {
  if (message.id == current_)
    repeat();
}

// -- messages -----------------------------------------------------------------

void stage_core::accept(const begin_step& message) {
  if (message.id == current_)
    return repeat();
  if (message.id.run != options_.run || message.id < current_)
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
  say(begun{current_, options_.stage});
  if (auto fault = std::exchange(early_fault_, std::nullopt))
    return fail(error_code::protocol_violated, fault->text);
  if (auto fault = find_fault(message))
    return fail(error_code::protocol_violated, *fault);
  if (message.actions.empty())
    finish();
  else
    show_wait();
}

std::optional<std::string>
stage_core::find_fault(const begin_step& message) const {
  for (const auto& x : message.actions)
    if (std::ranges::find(cells_, x.cell, &held_cell::index) == cells_.end()
        || x.micro_batch >= message.micro_batches.size())
      return "the program has an action that is none of this stage: "
           + to_string(x);
  return std::nullopt;
}

void stage_core::accept(const edge_data& header, payload data) {
  if (header.id.run != options_.run || header.id < current_)
    return;
  if (header.id == current_) {
    if (!active_)
      return;
    if (header.micro_batch >= step_.micro_batches.size())
      fail(error_code::protocol_violated,
           "edge " + std::to_string(header.edge) + " brought micro-batch "
             + std::to_string(header.micro_batch) + " of "
             + std::to_string(step_.micro_batches.size()));
    else if (auto fault = take_in(traffic_, header, std::move(data)))
      fail(error_code::protocol_violated, *fault);
    else
      show_wait();
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
  if (auto fault = take_in(early_, header, std::move(data)))
    early_fault_ = {header.id.attempt, std::move(*fault)};
}

std::optional<std::string> stage_core::take_in(edge_traffic& traffic,
                                               const edge_data& header,
                                               payload data) {
  if (auto fault =
        actorpipe::find_fault(*options_.how, options_.stage, header, data))
    return fault;
  data.tensors[0].charge_to(options_.activations);
  if (traffic.accept(header, std::move(data))
      == edge_traffic::arrival::beyond_bound)
    return "edge " + std::to_string(header.edge) + " brought micro-batch "
         + std::to_string(header.micro_batch) + " without a credit";
  return std::nullopt;
}

void stage_core::accept(const credit& message) {
  if (message.id != current_ || !active_)
    return;
  if (traffic_.note_credit(message))
    return show_wait();
  fail(error_code::protocol_violated,
       "a credit of edge " + std::to_string(message.edge)
         + " was returned for micro-batch "
         + std::to_string(message.micro_batch) + ", which was not sent");
}

void stage_core::accept(const weights& header, payload data) {
  if (header.run != options_.run || header.attempt < current_.attempt)
    return;
  if (auto fault =
        actorpipe::find_fault(*options_.source, *options_.layout, *options_.how,
                              options_.stage, header, data)) {
    if (active_ && header.attempt == current_.attempt)
      return fail(error_code::protocol_violated, *fault);
    early_fault_ = {header.attempt, std::move(*fault)};
    return;
  }
  held(header.user).accept(header, data);
  if (active_)
    show_wait();
}

void stage_core::accept(const abandon& message) {
  if (message.run != options_.run || message.attempt < current_.attempt)
    return;
  if (message.attempt > current_.attempt) {
    current_ = {message.run, message.attempt, 0};
    active_ = false;
    step_ = {};
    said_ = {};
    early_ = {};
    early_id_ = {};
    if (early_fault_ && early_fault_->attempt < message.attempt)
      early_fault_.reset();
    traffic_.reset({});
    losses_.clear();
    for (auto& x : cells_) {
      x.reset(0, {});
      x.forget_before(message.attempt);
    }
    show(standing::state::idle);
  }
  out_.send(abandoned{message.run, message.attempt,
                      "stage " + std::to_string(options_.stage)});
}

// -- the mini-batch at hand ---------------------------------------------------

bool stage_core::runnable() const {
  return active_ && cursor_ < step_.actions.size()
      && is_ready(step_.actions[cursor_]);
}

void stage_core::run_next() {
  assert(runnable());
  const auto next = step_.actions[cursor_];
  const auto call = [&](const action_hook& hook) {
    if (hook && step_.mode == run_mode::train)
      hook(step_.step, step_.tries, next);
  };
  action_record record{next, idle_since_ns_, options_.now_ns(), 0};
  show(standing::state::computing);
  try {
    call(options_.before_action);
    execute(next);
    call(options_.after_action);
  } catch (const protocol_error& error) {
    return fail(error_code::protocol_violated, error.what());
  } catch (const std::exception& error) {
    return fail(error_code::layer_failed, error.what());
  }
  record.end_ns = options_.now_ns();
  idle_since_ns_ = record.end_ns;
  executed_.push_back(record);
  if (++cursor_ == step_.actions.size())
    finish();
  else
    show_wait();
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
    return fail(error_code::layer_failed, error.what());
  }
  losses_.clear();
  show(standing::state::done);
  say(std::move(message));
}

void stage_core::fail(error_code code, const std::string& text) {
  const auto at = cursor();
  active_ = false;
  for (auto& x : cells_)
    x.reset(0, {});
  traffic_.reset({});
  losses_.clear();
  show(standing::state::failed);
  say(failed{current_, code,
             "stage " + std::to_string(options_.stage)
               + (at.empty() ? "" : ", action " + at) + ": " + text});
}

std::string stage_core::cursor() const {
  return cursor_ < step_.actions.size() ? to_string(step_.actions[cursor_])
                                        : std::string{};
}

// -- for whoever watches ------------------------------------------------------

void stage_core::show(standing::state how) {
  if (options_.board == nullptr)
    return;
  if (how != standing::state::waiting)
    lacks_.clear();
  options_.board->publish(
    how, current_,
    cursor_ < step_.actions.size() ? step_.actions[cursor_] : action{},
    static_cast<std::uint32_t>(cursor_), lacks_);
}

void stage_core::show_wait() {
  if (options_.board == nullptr || cursor_ >= step_.actions.size())
    return;
  find_lacks(step_.actions[cursor_]);
  show(standing::state::waiting);
}

} // namespace actorpipe
