// SPDX-License-Identifier: Apache-2.0
/// Weights, stashes and sums of one cell of a stage.
#include "actors/held_cell.hpp"

#include "compute/model/layer_guard.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace actorpipe {

namespace {

cell_weights empty_weights(const cell& work) {
  cell_weights result;
  for (auto i = work.first(); i < work.last(); ++i) {
    const auto& part = work.source().at(i);
    result.push_back({tensor_list(part.parameters().size()),
                      tensor_list(part.states().size())});
  }
  return result;
}

} // namespace

held_cell::held_cell(std::shared_ptr<const model> source, const plan& how,
                     const parameter_layout& layout, std::uint32_t index)
  : index_(index), work_(std::move(source), how.cut[index], how.cut[index + 1]),
    layout_(layout), owners_(layout.owners_of(index)), parts_(owners_.size()),
    weights_(empty_weights(work_)), ready_(owners_.size()) {
  for (std::uint32_t id = 0; id < how.edges.size(); ++id) {
    const auto& crossing = how.edges[id];
    if (crossing.is_target && crossing.to == index)
      target_ = id;
    else if (crossing.to == index)
      inputs_.push_back(id);
    else if (crossing.from == index)
      outputs_.push_back(id);
  }
}

void held_cell::accept(const weights& header, const payload& data) {
  const auto place = std::ranges::find(owners_, header.owner);
  assert(place != owners_.end());
  const auto at = static_cast<std::size_t>(place - owners_.begin());
  auto& there = parts_[at];
  if (std::pair(header.attempt, header.edition)
      <= std::pair(there.attempt, there.edition))
    return;
  there = {header.attempt, header.edition, header.version};
  ready_[at] = data.ready;
  const auto& uses = layout_.uses(header.owner, index_);
  for (std::size_t i = 0; i < uses.size(); ++i)
    weights_[uses[i].layer].parameters[uses[i].index] = data.tensors[i];
  if (header.owner != index_)
    return;
  auto next = uses.size();
  for (auto& layer : weights_)
    for (auto& state : layer.states)
      state = data.tensors[next++];
}

void held_cell::forget_before(std::uint64_t attempt) {
  for (auto& x : parts_)
    if (x.attempt < attempt)
      x.version = -1;
}

bool held_cell::has_version(std::int64_t version) const noexcept {
  return std::ranges::all_of(
    parts_, [&](const part& x) { return x.version == version; });
}

void held_cell::require_fitting(const tensor_list& x, const tensor& targets) {
  auto found = types_of(x);
  found.push_back(targets.type());
  if (found == fitting_)
    return;
  auto types = types_of(x);
  const auto& source = work_.source();
  for (auto i = work_.first(); i < work_.last(); ++i)
    types = guarded(source, i, [&] { return source.at(i).outputs(types); });
  if (work_.has_loss())
    guarded(source, work_.last(),
            [&] { source.loss().check(types, targets.type()); });
  fitting_ = std::move(found);
}

void held_cell::reset(std::size_t micro_batches, const program& actions) {
  in_flight_.clear();
  in_flight_.resize(micro_batches);
  gradients_.clear();
  state_sums_.clear();
  recomputed_.clear();
  for (const auto& x : actions)
    if (x.cell == index_ && x.kind == action_kind::recompute)
      recomputed_.insert(x.micro_batch);
}

void held_cell::add_contributions(operations& ops,
                                  std::vector<tensor_list> parts) {
  if (state_sums_.empty()) {
    state_sums_ = std::move(parts);
    return;
  }
  for (std::size_t layer = 0; layer < parts.size(); ++layer)
    for (std::size_t i = 0; i < parts[layer].size(); ++i) {
      auto& sum = state_sums_[layer][i];
      ops.add(sum, sum, parts[layer][i]);
    }
}

std::vector<tensor_list>&
held_cell::gradients(operations& ops, const device& where,
                     const std::shared_ptr<memory_account>& holder) {
  if (gradients_.empty())
    for (const auto& layer : weights_) {
      auto& sums = gradients_.emplace_back();
      for (const auto& w : layer.parameters) {
        sums.push_back(tensor::make(w.type(), where.memory(), holder));
        ops.fill(sums.back(), 0);
      }
    }
  return gradients_;
}

tensor_list held_cell::accumulated_for(std::uint32_t owner) const {
  tensor_list result;
  for (const auto& use : layout_.uses(owner, index_))
    result.push_back(gradients_[use.layer][use.index]);
  if (owner == index_)
    for (const auto& layer : state_sums_)
      result.insert(result.end(), layer.begin(), layer.end());
  return result;
}

void held_cell::release_gradients() {
  gradients_.clear();
  state_sums_.clear();
}

} // namespace actorpipe
