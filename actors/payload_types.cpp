// SPDX-License-Identifier: Apache-2.0
/// Types of payloads.
#include "actors/payload_types.hpp"

#include "actors/shard_values.hpp"

#include <algorithm>

namespace actorpipe {

namespace {

// Of the uses by `user` of parameters of `owner`, in layer order.
std::vector<tensor_type> use_types(const model& source,
                                   const parameter_layout& layout,
                                   std::uint32_t owner, std::uint32_t user) {
  std::vector<tensor_type> result;
  for (const auto& use : layout.uses(owner, user)) {
    const auto i = layout.owned_by(owner)[use.ordinal];
    result.push_back({dtype::f32, source.parameters()[i].declaration.extents});
  }
  return result;
}

std::string named(const char* what, std::uint32_t number) {
  return std::string(what) + std::to_string(number);
}

bool is_at(const plan& how, std::uint32_t stage, std::uint32_t cell) {
  return cell < how.cells() && how.device_of_cell[cell] == stage;
}

bool contains(const std::vector<std::uint32_t>& cells, std::uint32_t cell) {
  return std::ranges::find(cells, cell) != cells.end();
}

std::optional<std::string> find_misfit(const tensor_list& got,
                                       const std::vector<tensor_type>& wanted) {
  if (are_of_types(got, wanted))
    return std::nullopt;
  return "brought " + to_string(types_of(got)) + "; expected "
       + to_string(wanted);
}

} // namespace

std::vector<tensor_type> weights_types(const model& source,
                                       const parameter_layout& layout,
                                       std::span<const std::size_t> cut,
                                       std::uint32_t owner,
                                       std::uint32_t user) {
  auto result = use_types(source, layout, owner, user);
  if (owner == user)
    for (auto i = cut[owner]; i < cut[owner + 1]; ++i)
      for (const auto& use : source.at(i).states())
        result.push_back({dtype::f32, use.extents});
  return result;
}

std::vector<tensor_type> accumulated_types(const model& source,
                                           const parameter_layout& layout,
                                           std::span<const std::size_t> cut,
                                           std::uint32_t owner,
                                           std::uint32_t user) {
  auto result = use_types(source, layout, owner, user);
  if (owner == user)
    for (auto i = cut[owner]; i < cut[owner + 1]; ++i)
      for (const auto& use : source.at(i).states())
        result.push_back({dtype::f32, use.contribution});
  return result;
}

std::optional<std::string> find_fault(const plan& how, std::uint32_t stage,
                                      const edge_data& header,
                                      const payload& data) {
  if (header.edge >= how.edges.size())
    return named("a tensor came over edge ", header.edge)
         + ", which the plan does not have";
  const auto& crossing = how.edges[header.edge];
  const auto name =
    named("edge ", header.edge) + named(", micro-batch ", header.micro_batch);
  if (header.gradient && !crossing.needs_gradient)
    return name + ": a gradient came, and the edge has none";
  if (!is_at(how, stage, header.gradient ? crossing.from : crossing.to))
    return name + " does not lead here";
  if (data.tensors.size() != 1 || !data.tensors[0].defined())
    return name
         + named(" brought ", static_cast<std::uint32_t>(data.tensors.size()))
         + " tensors";
  const auto& type = data.tensors[0].type();
  const auto element = std::string(to_string(type.type)) + '[';
  if (!crossing.type.starts_with(element) || type.extents.rank() == 0
      || type.size_bytes() > crossing.bytes)
    return name + " brought " + to_string(type) + "; expected at most "
         + crossing.type;
  return std::nullopt;
}

std::optional<std::string>
find_fault(const model& source, const parameter_layout& layout, const plan& how,
           std::uint32_t stage, const weights& header, const payload& data) {
  if (!is_at(how, stage, header.user)
      || !contains(layout.owners_of(header.user), header.owner))
    return named("weights of cell ", header.owner)
         + named(" for cell ", header.user) + " do not lead here";
  if (auto misfit =
        find_misfit(data.tensors, weights_types(source, layout, how.cut,
                                                header.owner, header.user)))
    return named("weights of cell ", header.owner) + ' ' + *misfit;
  return std::nullopt;
}

std::optional<std::string> find_fault(const model& source,
                                      const parameter_layout& layout,
                                      const plan& how, std::uint32_t owner,
                                      const accumulated& header,
                                      const payload& data) {
  if (header.owner != owner || !contains(layout.users_of(owner), header.cell))
    return named("gradients of cell ", header.cell)
         + named(" for cell ", header.owner) + " do not lead here";
  if (header.samples < 1)
    return "gradients of " + std::to_string(header.samples) + " samples";
  if (auto misfit =
        find_misfit(data.tensors, accumulated_types(source, layout, how.cut,
                                                    owner, header.cell)))
    return named("gradients of cell ", header.cell) + ' ' + *misfit;
  return std::nullopt;
}

} // namespace actorpipe
