// SPDX-License-Identifier: Apache-2.0
/// The values of a model as a checkpoint names them, and back.
#include "actors/run/checkpoint_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace actorpipe {

namespace {

// A tensor of the checkpoint, or one that the model has.
using tensors_by_name = std::map<std::string, tensor>;
using shapes_by_name = std::map<std::string, shape>;

std::string state_name(const model& source, std::size_t layer,
                       const state_use& state) {
  return source.name(layer) + '/' + state.name;
}

tensors_by_name tensors_of(const checkpoint& from) {
  tensors_by_name result;
  for (const auto& [name, weight, slots] : from.parameters) {
    result.emplace(name, weight);
    for (const auto& slot : slots)
      result.emplace(moment_name(name, slot.name), slot.value);
  }
  for (const auto& [name, value] : from.states)
    result.emplace(name, value);
  return result;
}

shapes_by_name shapes_of(const model& source, const optimizer& how) {
  shapes_by_name result;
  for (const auto& each : source.parameters()) {
    const auto& [name, extents, initial, decays, tied] = each.declaration;
    result.emplace(name, extents);
    for (const auto& slot : how.slots())
      result.emplace(moment_name(name, slot), extents);
  }
  for (std::size_t i = 0; i < source.size(); ++i)
    for (const auto& state : source.at(i).states())
      result.emplace(state_name(source, i, state), state.extents);
  return result;
}

// "3 missing (a, b, c)"; of many names the first few.
void describe(std::vector<std::string>& into, const std::string& what,
              std::vector<std::string> names) {
  constexpr std::size_t shown = 4;
  if (names.empty())
    return;
  const auto count = names.size();
  if (count > shown) {
    names.resize(shown);
    names.push_back("...");
  }
  into.push_back(
    fmt::format("{} {} ({})", count, what, fmt::join(names, ", ")));
}

void check_fits(const tensors_by_name& held, const shapes_by_name& wanted) {
  std::vector<std::string> missing;
  std::vector<std::string> extra;
  std::vector<std::string> other;
  for (const auto& [name, extents] : wanted) {
    const auto found = held.find(name);
    if (found == held.end())
      missing.push_back(name);
    else if (found->second.extents() != extents)
      other.push_back(fmt::format("{}: {} instead of {}", name,
                                  to_string(found->second.extents()),
                                  to_string(extents)));
    else if (found->second.element() != dtype::f32)
      other.push_back(fmt::format("{}: {} instead of f32", name,
                                  to_string(found->second.element())));
  }
  for (const auto& [name, value] : held)
    if (!wanted.contains(name))
      extra.push_back(name);
  std::vector<std::string> differences;
  describe(differences, "missing", std::move(missing));
  describe(differences, "that the model does not have", std::move(extra));
  describe(differences, "of another shape", std::move(other));
  if (!differences.empty())
    throw checkpoint_error(
      fmt::format("the checkpoint is of another model or optimizer; of its "
                  "tensors are {}",
                  fmt::join(differences, ", ")));
}

} // namespace

void store_values(checkpoint& into, const model& source, const optimizer& how,
                  const model_values& values) {
  const auto slots = how.slots();
  into.updates = values.updates;
  into.parameters.clear();
  for (std::size_t p = 0; p < source.parameters().size(); ++p) {
    const auto& value = values.parameters.at(p);
    named_value named{
      source.parameters()[p].declaration.name, value.weight, {}};
    for (std::size_t s = 0; s < slots.size(); ++s)
      named.slots.push_back({slots[s], value.slots.at(s)});
    into.parameters.push_back(std::move(named));
  }
  into.states.clear();
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto states = source.at(i).states();
    for (std::size_t s = 0; s < states.size(); ++s)
      into.states.push_back(
        {state_name(source, i, states[s]), values.states.at(i).at(s)});
  }
}

model_values restore_values(const checkpoint& from, const model& source,
                            const optimizer& how) {
  const auto held = tensors_of(from);
  check_fits(held, shapes_of(source, how));
  model_values result;
  result.updates = from.updates;
  for (const auto& each : source.parameters()) {
    const auto& name = each.declaration.name;
    parameter_value value{held.at(name), {}};
    for (const auto& slot : how.slots())
      value.slots.push_back(held.at(moment_name(name, slot)));
    result.parameters.push_back(std::move(value));
  }
  for (std::size_t i = 0; i < source.size(); ++i) {
    auto& states = result.states.emplace_back();
    for (const auto& state : source.at(i).states())
      states.push_back(held.at(state_name(source, i, state)));
  }
  return result;
}

std::vector<named_tensor> named_parameters(const model& source,
                                           const model_values& values) {
  std::vector<named_tensor> result;
  for (std::size_t p = 0; p < source.parameters().size(); ++p)
    result.push_back({source.parameters()[p].declaration.name,
                      values.parameters.at(p).weight});
  return result;
}

} // namespace actorpipe
