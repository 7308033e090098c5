// SPDX-License-Identifier: Apache-2.0
/// The versions of one cell's parameters.
#include "actors/parameter_core.hpp"

#include "compute/model/layer_guard.hpp"
#include "compute/ops/to_host.hpp"
#include "compute/train/initial_values.hpp"

#include <cassert>
#include <exception>
#include <utility>

namespace actorpipe {

namespace {

// Whether both are defined tensors of one type, element by element.
bool same_types(const tensor_list& a, const tensor_list& b) {
  return types_of(a) == types_of(b);
}

} // namespace

parameter_core::parameter_core(parameter_options options, outbox& out)
  : options_(std::move(options)), out_(out),
    stream_(options_.where->make_stream(options_.holder)) {
  current_.run = options_.run;
  auto& ops = stream_->ops();
  for (const auto i : options_.layout->owned_by(options_.cell))
    now_.parameters.push_back(
      initial_value(options_.source->parameters()[i].declaration,
                    *options_.rule, ops, options_.seed));
  for (auto i = options_.first_layer; i < options_.last_layer; ++i)
    now_.states.push_back(initial_states(options_.source->at(i), ops));
  now_ready_ = stream_->record();
}

void parameter_core::publish() {
  ++edition_;
  for (const auto user : options_.layout->users_of(options_.cell)) {
    payload data{{}, now_ready_};
    for (const auto& use : options_.layout->uses(options_.cell, user))
      data.tensors.push_back(now_.parameters[use.ordinal].weight);
    if (user == options_.cell)
      for (const auto& layer : now_.states)
        data.tensors.insert(data.tensors.end(), layer.begin(), layer.end());
    out_.send(weights{options_.run, current_.attempt, edition_, now_.updates,
                      options_.cell, user},
              std::move(data));
  }
}

void parameter_core::accept(const accumulated& header, payload data) {
  if (header.id.run != options_.run || header.id < current_)
    return;
  if (header.id > current_) {
    // The barrier: whatever was made before is committed or was abandoned.
    before_.reset();
    current_ = header.id;
    closed_ = false;
    forget_step();
  }
  if (closed_ || prepared_ || arrived_.contains(header.cell))
    return;
  samples_ = header.samples;
  arrived_.emplace(header.cell, std::move(data));
  const auto users = options_.layout->users_of(options_.cell);
  if (arrived_.size() < users.size())
    return;
  try {
    prepare();
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void parameter_core::prepare() {
  auto& ops = stream_->ops();
  gradients_.assign(now_.parameters.size(), {});
  // Users ascend and list their uses in layer order: uses add in that order.
  for (auto& [user, data] : arrived_) {
    stream_->wait(data.ready);
    const auto& uses = options_.layout->uses(options_.cell, user);
    for (std::size_t i = 0; i < uses.size(); ++i) {
      data.tensors[i].charge_to(options_.holder);
      auto& sum = gradients_[uses[i].ordinal];
      if (sum.defined())
        ops.add(sum, sum, data.tensors[i]);
      else
        sum = data.tensors[i];
    }
    if (user == options_.cell)
      state_sums_.assign(data.tensors.begin()
                           + static_cast<std::ptrdiff_t>(uses.size()),
                         data.tensors.end());
  }
  arrived_.clear();
  prepared_ = true;
  tensor_list sums;
  for (const auto& d_w : gradients_) {
    auto sum = ops.make({dtype::f64, {1}});
    ops.sum_of_squares(sum, d_w);
    sums.push_back(to_host(ops, sum));
  }
  stream_->record().wait();
  prepared message{current_, options_.cell, {}};
  for (const auto& sum : sums)
    message.sums_of_squares.push_back(*sum.data<double>());
  out_.send(std::move(message));
}

void parameter_core::accept(const apply_update& message) {
  if (message.id != current_)
    return;
  if (message.version == now_.updates) {
    out_.send(applied{message.id, options_.cell});
    return;
  }
  if (closed_ || !prepared_ || message.version != now_.updates + 1)
    return;
  try {
    make_version(message);
  } catch (const std::exception& error) {
    return fail(error.what());
  } catch (...) {
    return fail("the optimiser threw something that is no exception");
  }
  publish();
  out_.send(applied{message.id, options_.cell});
}

void parameter_core::make_version(const apply_update& message) {
  auto& ops = stream_->ops();
  cell_values next;
  next.updates = message.version;
  const auto& owned = options_.layout->owned_by(options_.cell);
  for (std::size_t i = 0; i < owned.size(); ++i) {
    const auto& declared = options_.source->parameters()[owned[i]].declaration;
    next.parameters.push_back(
      options_.rule->update(ops, now_.parameters[i], gradients_[i],
                            {message.learning_rate, message.gradient_scale,
                             message.version, declared.decays}));
  }
  auto sums = state_sums_.begin();
  for (std::size_t i = 0; i < now_.states.size(); ++i) {
    const auto count = static_cast<std::ptrdiff_t>(now_.states[i].size());
    const auto layer = options_.first_layer + i;
    next.states.push_back(guarded(*options_.source, layer, [&] {
      return count == 0
             ? tensor_list{}
             : options_.source->at(layer).commit_state(
               ops, now_.states[i], tensor_list(sums, sums + count), samples_);
    }));
    sums += count;
  }
  now_ready_ = stream_->record();
  before_ = std::exchange(now_, std::move(next));
  closed_ = true;
  forget_step();
}

void parameter_core::accept(const committed& message) {
  if (message.id == current_)
    before_.reset();
}

void parameter_core::accept(const abandon& message) {
  if (message.run != options_.run || message.attempt < current_.attempt)
    return;
  if (message.attempt > current_.attempt) {
    current_ = {message.run, message.attempt, 0};
    closed_ = false;
    forget_step();
    if (before_ && message.version == before_->updates)
      now_ = *std::exchange(before_, std::nullopt);
    before_.reset();
    publish();
  }
  out_.send(abandoned{message.run, message.attempt,
                      "parameter " + std::to_string(options_.cell)});
}

cell_values parameter_core::values() const {
  auto& ops = stream_->ops();
  cell_values result;
  result.updates = now_.updates;
  for (const auto& x : now_.parameters) {
    auto& copy = result.parameters.emplace_back();
    copy.weight = to_host(ops, x.weight);
    for (const auto& slot : x.slots)
      copy.slots.push_back(to_host(ops, slot));
  }
  for (const auto& layer : now_.states) {
    auto& copy = result.states.emplace_back();
    for (const auto& state : layer)
      copy.push_back(to_host(ops, state));
  }
  stream_->record().wait();
  return result;
}

bool parameter_core::set_values(const cell_values& next) {
  if (next.parameters.size() != now_.parameters.size()
      || next.states.size() != now_.states.size())
    return false;
  for (std::size_t i = 0; i < next.parameters.size(); ++i)
    if (next.parameters[i].weight.type() != now_.parameters[i].weight.type()
        || !same_types(next.parameters[i].slots, now_.parameters[i].slots))
      return false;
  for (std::size_t i = 0; i < next.states.size(); ++i)
    if (!same_types(next.states[i], now_.states[i]))
      return false;
  auto& ops = stream_->ops();
  const auto to_device = [&](const tensor& x) {
    auto result = ops.make(x.type());
    ops.copy(result, x);
    return result;
  };
  cell_values made;
  made.updates = next.updates;
  for (const auto& x : next.parameters) {
    auto& copy = made.parameters.emplace_back();
    copy.weight = to_device(x.weight);
    for (const auto& slot : x.slots)
      copy.slots.push_back(to_device(slot));
  }
  for (const auto& layer : next.states) {
    auto& copy = made.states.emplace_back();
    for (const auto& state : layer)
      copy.push_back(to_device(state));
  }
  before_.reset();
  closed_ = true;
  forget_step();
  now_ = std::move(made);
  now_ready_ = stream_->record();
  publish();
  return true;
}

void parameter_core::forget_step() {
  arrived_.clear();
  gradients_.clear();
  state_sums_.clear();
  prepared_ = false;
}

void parameter_core::fail(const std::string& what) {
  closed_ = true;
  forget_step();
  out_.send(failed{current_, error_code::layer_failed,
                   "parameters of cell " + std::to_string(options_.cell) + ": "
                     + what});
}

} // namespace actorpipe
