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

parameter_core::parameter_core(parameter_options options, outbox& out)
  : options_(std::move(options)),
    types_(shard_types(*options_.source, *options_.rule, *options_.layout,
                       options_.how->cut, options_.cell)),
    out_(out), stream_(options_.where->make_stream(options_.holder)) {
  current_.run = options_.run;
  auto& ops = stream_->ops();
  for (const auto i : options_.layout->owned_by(options_.cell))
    now_.parameters.push_back(
      initial_value(options_.source->parameters()[i].declaration,
                    *options_.rule, ops, options_.seed));
  const auto& cut = options_.how->cut;
  for (auto i = cut[options_.cell]; i < cut[options_.cell + 1]; ++i)
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
    fail(error_code::layer_failed, error.what());
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
    return fail(error_code::layer_failed, error.what());
  } catch (...) {
    return fail(error_code::layer_failed,
                "the optimiser threw something that is no exception");
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
    const auto layer = options_.how->cut[options_.cell] + i;
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

void parameter_core::accept(const get_shard& message) {
  if (message.id.run != options_.run || message.id < current_)
    return;
  try {
    out_.send(
      shard{message.id, shard_purpose::collect, options_.cell, now_.updates},
      {on_host(), {}});
  } catch (const std::exception& error) {
    current_ = message.id;
    fail(error_code::layer_failed, error.what());
  }
}

void parameter_core::accept(const shard& header, payload data) {
  if (header.id.run != options_.run || header.id <= current_
      || header.purpose != shard_purpose::install)
    return;
  current_ = header.id;
  if (header.cell != options_.cell || !are_of_types(data.tensors, types_))
    return fail(error_code::protocol_violated,
                "these values are of another model or optimiser");
  try {
    auto next = unflatten(on_device(data), header.version, *options_.source,
                          *options_.rule, *options_.layout, options_.how->cut,
                          options_.cell);
    now_ready_ = stream_->record();
    now_ = std::move(next);
  } catch (const std::exception& error) {
    return fail(error_code::layer_failed, error.what());
  }
  before_.reset();
  closed_ = true;
  forget_step();
  publish();
  out_.send(installed{header.id, options_.cell});
}

tensor_list parameter_core::on_host() const {
  tensor_list result;
  for (const auto& x : flatten(now_))
    result.push_back(to_host(stream_->ops(), x));
  stream_->record().wait();
  return result;
}

tensor_list parameter_core::on_device(const payload& data) {
  auto& ops = stream_->ops();
  stream_->wait(data.ready);
  tensor_list result;
  for (const auto& x : data.tensors) {
    result.push_back(ops.make(x.type()));
    ops.copy(result.back(), x);
  }
  return result;
}

void parameter_core::forget_step() {
  arrived_.clear();
  gradients_.clear();
  state_sums_.clear();
  prepared_ = false;
}

void parameter_core::fail(error_code code, const std::string& what) {
  closed_ = true;
  forget_step();
  out_.send(failed{current_, code,
                   "parameters of cell " + std::to_string(options_.cell) + ": "
                     + what});
}

} // namespace actorpipe
