// SPDX-License-Identifier: Apache-2.0
/// Assigns parameters to cells by their first use.
#include "actors/parameter_layout.hpp"

#include <algorithm>

namespace actorpipe {

parameter_layout::parameter_layout(const model& source,
                                   std::span<const std::size_t> cut)
  : owned_(cut.size() - 1),
    uses_(cut.size() - 1, std::vector<std::vector<use>>(cut.size() - 1)) {
  const auto cell_of = [&](std::size_t layer) {
    return static_cast<std::size_t>(
             std::upper_bound(cut.begin(), cut.end(), layer) - cut.begin())
         - 1;
  };
  const auto& parameters = source.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto owner = cell_of(parameters[i].uses.front().layer);
    const auto ordinal = owned_[owner].size();
    owned_[owner].push_back(i);
    for (const auto& [layer, index] : parameters[i].uses) {
      const auto user = cell_of(layer);
      uses_[owner][user].push_back({layer - cut[user], index, ordinal});
    }
  }
  const auto in_layer_order = [](const use& a, const use& b) {
    return a.layer != b.layer ? a.layer < b.layer : a.index < b.index;
  };
  for (auto& by_user : uses_)
    for (auto& list : by_user)
      std::sort(list.begin(), list.end(), in_layer_order);
}

std::vector<std::uint32_t>
parameter_layout::users_of(std::uint32_t owner) const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t user = 0; user < cells(); ++user)
    if (user == owner || !uses_[owner][user].empty())
      result.push_back(user);
  return result;
}

std::vector<std::uint32_t>
parameter_layout::owners_of(std::uint32_t user) const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t owner = 0; owner < cells(); ++owner)
    if (user == owner || !uses_[owner][user].empty())
      result.push_back(owner);
  return result;
}

} // namespace actorpipe
