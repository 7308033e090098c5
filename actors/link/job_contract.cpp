// SPDX-License-Identifier: Apache-2.0
/// Types of messages, from a plan and a model.
#include "actors/link/job_contract.hpp"

#include "actors/shard_values.hpp"

#include <array>
#include <charconv>
#include <stdexcept>
#include <string>

namespace actorpipe {

namespace {

using types = std::vector<tensor_type>;

constexpr std::array elements{dtype::f32, dtype::f64, dtype::i32, dtype::u8};

[[noreturn]] void refuse(std::string_view text) {
  throw std::invalid_argument("\"" + std::string(text)
                              + "\" is no type of a tensor, such as "
                                "\"f32[4, 128]\"");
}

// What `owner` sends to `user`, or the gradients of it: one tensor per use.
types of_uses(const model& source, const parameter_layout& layout,
              std::uint32_t owner, std::uint32_t user) {
  types result;
  for (const auto& use : layout.uses(owner, user)) {
    const auto place = layout.owned_by(owner)[use.ordinal];
    result.push_back(
      {dtype::f32, source.parameters()[place].declaration.extents});
  }
  return result;
}

// Adds the states of the cell's layers, or what a step adds to them.
void add_states(types& to, const model& source, const plan& how,
                std::uint32_t cell, shape state_use::*which) {
  for (auto layer = how.cut[cell]; layer < how.cut[cell + 1]; ++layer)
    for (const auto& state : source.at(layer).states())
      to.push_back({dtype::f32, state.*which});
}

template <class Key>
std::optional<link_contract::tensors> find_in(const std::map<Key, types>& all,
                                              const Key& key) {
  const auto found = all.find(key);
  if (found == all.end())
    return std::nullopt;
  return link_contract::tensors{found->second};
}

} // namespace

tensor_type parse_tensor_type(std::string_view text) {
  for (const auto element : elements) {
    const auto name = to_string(element);
    if (!text.starts_with(name))
      continue;
    auto rest = text.substr(name.size());
    if (rest.size() < 2 || rest.front() != '[' || rest.back() != ']')
      refuse(text);
    rest = rest.substr(1, rest.size() - 2);
    std::vector<std::int64_t> extents;
    while (!rest.empty()) {
      if (!extents.empty()) {
        if (!rest.starts_with(", "))
          refuse(text);
        rest.remove_prefix(2);
      }
      const auto* const last = rest.data() + rest.size();
      const auto [end, error] =
        std::from_chars(rest.data(), last, extents.emplace_back());
      if (error != std::errc{})
        refuse(text);
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    }
    return {element, shape(extents)};
  }
  refuse(text);
}

job_contract::job_contract(std::uint64_t run, const plan& how,
                           const model& source, const parameter_layout& layout,
                           const optimizer& rule)
  : run_(run) {
  for (const auto& x : how.edges) {
    edges_.push_back(parse_tensor_type(x.type));
    has_gradient_.push_back(x.needs_gradient);
  }
  for (std::uint32_t owner = 0; owner < layout.cells(); ++owner) {
    shards_.push_back(shard_types(source, rule, layout, how.cut, owner));
    for (const auto user : layout.users_of(owner)) {
      auto& sent = weights_[{owner, user}];
      sent = of_uses(source, layout, owner, user);
      auto& back = accumulated_[{owner, user}];
      back = sent;
      if (owner == user) {
        add_states(sent, source, how, owner, &state_use::extents);
        add_states(back, source, how, owner, &state_use::contribution);
      }
    }
  }
}

std::optional<link_contract::tensors>
job_contract::find(const link_header& message) const {
  return std::visit([this](const auto& x) { return agreed_for(x); }, message);
}

std::optional<link_contract::tensors>
job_contract::agreed_for(const edge_data& x) const {
  if (x.edge >= edges_.size() || (x.gradient && !has_gradient_[x.edge]))
    return std::nullopt;
  return tensors{{&edges_[x.edge], 1}, true};
}

std::optional<link_contract::tensors>
job_contract::agreed_for(const credit& x) const {
  if (x.edge >= edges_.size() || (x.gradient && !has_gradient_[x.edge]))
    return std::nullopt;
  return tensors{};
}

std::optional<link_contract::tensors>
job_contract::agreed_for(const accumulated& x) const {
  return find_in(accumulated_, pair_of_cells{x.owner, x.cell});
}

std::optional<link_contract::tensors>
job_contract::agreed_for(const weights& x) const {
  return find_in(weights_, pair_of_cells{x.owner, x.user});
}

std::optional<link_contract::tensors>
job_contract::agreed_for(const shard& x) const {
  if (x.cell >= shards_.size())
    return std::nullopt;
  return tensors{shards_[x.cell]};
}

std::optional<link_contract::tensors>
job_contract::agreed_for(const fetch& x) const {
  if (x.cell >= shards_.size())
    return std::nullopt;
  return tensors{};
}

} // namespace actorpipe
