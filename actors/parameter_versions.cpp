// SPDX-License-Identifier: Apache-2.0
/// How a parameter actor computes a version.
#include "actors/parameter_core.hpp"
#include "compute/model/layer_guard.hpp"
#include "compute/ops/to_host.hpp"
#include "compute/train/initial_values.hpp"

#include <cstddef>
#include <utility>

namespace actorpipe {

parameter_core::version parameter_core::initial_version() {
  auto& ops = stream_->ops();
  const auto& cut = options_.how->cut;
  version result;
  for (const auto i : options_.layout->owned_by(options_.cell))
    result.values.parameters.push_back(
      initial_value(options_.source->parameters()[i].declaration,
                    *options_.rule, ops, options_.seed));
  for (auto i = cut[options_.cell]; i < cut[options_.cell + 1]; ++i)
    result.values.states.push_back(initial_states(options_.source->at(i), ops));
  result.ready = stream_->record();
  return result;
}

// Copies to the device: what comes from another process is in host memory.
parameter_core::version parameter_core::loaded_version(const shard& header,
                                                       const payload& data) {
  auto& ops = stream_->ops();
  stream_->wait(data.ready);
  tensor_list copies;
  for (const auto& x : data.tensors) {
    copies.push_back(ops.make(x.type()));
    ops.copy(copies.back(), x);
  }
  return {unflatten(copies, header.version, *options_.source, *options_.rule,
                    *options_.layout, options_.how->cut, options_.cell),
          stream_->record(), header.id.batch};
}

void parameter_core::prepare() {
  auto& ops = stream_->ops();
  gradients_.assign(now_.values.parameters.size(), {});
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
  closed_ = true;
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
  say(std::move(message));
}

parameter_core::version
parameter_core::next_version(const apply_update& message) {
  auto& ops = stream_->ops();
  const auto& now = now_.values;
  cell_values next;
  next.updates = message.version;
  const auto& owned = options_.layout->owned_by(options_.cell);
  for (std::size_t i = 0; i < owned.size(); ++i) {
    const auto& declared = options_.source->parameters()[owned[i]].declaration;
    next.parameters.push_back(
      options_.rule->update(ops, now.parameters[i], gradients_[i],
                            {message.learning_rate, message.gradient_scale,
                             message.version, declared.decays}));
  }
  auto sums = state_sums_.begin();
  for (std::size_t i = 0; i < now.states.size(); ++i) {
    const auto count = static_cast<std::ptrdiff_t>(now.states[i].size());
    const auto layer = options_.how->cut[options_.cell] + i;
    next.states.push_back(guarded(*options_.source, layer, [&] {
      return count == 0
             ? tensor_list{}
             : options_.source->at(layer).commit_state(
               ops, now.states[i], tensor_list(sums, sums + count), samples_);
    }));
    sums += count;
  }
  return {std::move(next), stream_->record(), message.id.batch};
}

} // namespace actorpipe
