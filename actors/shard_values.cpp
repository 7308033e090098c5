// SPDX-License-Identifier: Apache-2.0
/// Flat lists of a cell's values.
#include "actors/shard_values.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace actorpipe {

namespace {

bool is_of_type(const tensor& x, const tensor_type& type) {
  return x.defined() && x.type() == type;
}

} // namespace

std::vector<tensor_type> shard_types(const model& source, const optimizer& rule,
                                     const parameter_layout& layout,
                                     std::span<const std::size_t> cut,
                                     std::uint32_t cell) {
  std::vector<tensor_type> result;
  const auto per_parameter = 1 + rule.slots().size();
  for (const auto i : layout.owned_by(cell))
    result.insert(result.end(), per_parameter,
                  {dtype::f32, source.parameters()[i].declaration.extents});
  for (auto i = cut[cell]; i < cut[cell + 1]; ++i)
    for (const auto& use : source.at(i).states())
      result.push_back({dtype::f32, use.extents});
  return result;
}

bool are_of_types(const tensor_list& tensors,
                  std::span<const tensor_type> types) {
  return std::ranges::equal(tensors, types, is_of_type);
}

tensor_list flatten(const cell_values& values) {
  tensor_list result;
  for (const auto& x : values.parameters) {
    result.push_back(x.weight);
    result.insert(result.end(), x.slots.begin(), x.slots.end());
  }
  for (const auto& layer : values.states)
    result.insert(result.end(), layer.begin(), layer.end());
  return result;
}

cell_values unflatten(const tensor_list& tensors, std::int64_t version,
                      const model& source, const optimizer& rule,
                      const parameter_layout& layout,
                      std::span<const std::size_t> cut, std::uint32_t cell) {
  auto next = tensors.begin();
  const auto take = [&](std::size_t count) {
    const auto first = next;
    next += static_cast<std::ptrdiff_t>(count);
    return tensor_list(first, next);
  };
  cell_values result;
  result.updates = version;
  const auto slots = rule.slots().size();
  for (std::size_t i = 0; i < layout.owned_by(cell).size(); ++i) {
    auto weight = *next++;
    result.parameters.push_back({std::move(weight), take(slots)});
  }
  for (auto i = cut[cell]; i < cut[cell + 1]; ++i)
    result.states.push_back(take(source.at(i).states().size()));
  assert(next == tensors.end());
  return result;
}

bool are_of(const model& source, const optimizer& rule,
            const model_values& values) {
  const auto is = [](const tensor& x, const shape& extents) {
    return is_of_type(x, {dtype::f32, extents});
  };
  const auto& parameters = source.parameters();
  if (values.parameters.size() != parameters.size()
      || values.states.size() != source.size())
    return false;
  const auto slots = rule.slots().size();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& x = values.parameters[i];
    const auto& extents = parameters[i].declaration.extents;
    if (!is(x.weight, extents) || x.slots.size() != slots
        || !std::ranges::all_of(
          x.slots, [&](const tensor& slot) { return is(slot, extents); }))
      return false;
  }
  for (std::size_t i = 0; i < source.size(); ++i)
    if (!std::ranges::equal(
          values.states[i], source.at(i).states(),
          [&](const tensor& x, const auto& use) { return is(x, use.extents); }))
      return false;
  return true;
}

cell_values part_of(const model_values& values, const parameter_layout& layout,
                    std::span<const std::size_t> cut, std::uint32_t cell) {
  cell_values result;
  result.updates = values.updates;
  for (const auto i : layout.owned_by(cell))
    result.parameters.push_back(values.parameters[i]);
  for (auto i = cut[cell]; i < cut[cell + 1]; ++i)
    result.states.push_back(values.states[i]);
  return result;
}

void put_part(model_values& values, cell_values part,
              const parameter_layout& layout, std::span<const std::size_t> cut,
              std::uint32_t cell) {
  const auto& owned = layout.owned_by(cell);
  for (std::size_t i = 0; i < owned.size(); ++i)
    values.parameters[owned[i]] = std::move(part.parameters[i]);
  for (std::size_t i = 0; i < part.states.size(); ++i)
    values.states[cut[cell] + i] = std::move(part.states[i]);
  values.updates = part.updates;
}

} // namespace actorpipe
