// SPDX-License-Identifier: Apache-2.0
/// Who shares tensors with whom, and how they are introduced.
#include "actors/cluster/neighbours.hpp"

#include "partition/seating.hpp"

#include <utility>
#include <vector>

namespace actorpipe {

namespace {

// A keeper or source that is "none" would be taken for a process otherwise.
static_assert(no_node == trainer_process);

// Every pair of processes between which tensors travel.
std::vector<std::pair<std::uint32_t, std::uint32_t>>
all_pairs(const plan& how, const parameter_layout& layout,
          const placement_map& where) {
  const auto home = [&](std::uint32_t cell) {
    return where.node_of_stage[how.device_of_cell[cell]];
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
  for (const auto& x : how.edges)
    result.emplace_back(x.from == edge::feed ? trainer_process : home(x.from),
                        home(x.to));
  for (std::uint32_t cell = 0; cell < how.cells(); ++cell) {
    result.emplace_back(trainer_process, home(cell));
    for (const auto user : layout.users_of(cell))
      result.emplace_back(home(cell), home(user));
    for (const auto other :
         {where.keeper_of_cell[cell], where.source_of_cell[cell]})
      if (other != no_node)
        result.emplace_back(home(cell), other);
  }
  return result;
}

} // namespace

std::set<std::uint32_t> neighbours(const plan& how,
                                   const parameter_layout& layout,
                                   const placement_map& where,
                                   std::uint32_t process) {
  std::set<std::uint32_t> result;
  for (const auto& [a, b] : all_pairs(how, layout, where)) {
    if (a == process)
      result.insert(b);
    if (b == process)
      result.insert(a);
  }
  result.erase(process);
  return result;
}

introduction make_introduction(const mail_route& route, post_office& office,
                               const caf::strong_actor_ptr& scheduler) {
  const auto& how = route.what->how;
  const auto& where = route.where;
  const auto keeper_at = [&](std::uint32_t node) {
    return node == no_node       ? nullptr
         : node == route.process ? route.locals.keeper
                                 : office.to(node);
  };
  introduction result;
  result.run = route.what->run;
  result.attempt = route.attempt;
  result.scheduler = scheduler;
  result.feed =
    route.process == trainer_process ? scheduler : office.to(trainer_process);
  const auto own_or_other = [&](const caf::strong_actor_ptr& own,
                                std::uint32_t node) {
    return own ? own : office.to(node);
  };
  for (std::uint32_t i = 0; i < how.devices(); ++i)
    result.stages.push_back(
      own_or_other(route.locals.stages.at(i), where.node_of_stage[i]));
  for (std::uint32_t i = 0; i < how.cells(); ++i) {
    result.parameters.push_back(
      own_or_other(route.locals.parameters.at(i),
                   where.node_of_stage[how.device_of_cell[i]]));
    if (route.what->replicates)
      result.keepers.push_back(keeper_at(where.keeper_of_cell[i]));
    result.sources.push_back(keeper_at(where.source_of_cell[i]));
  }
  return result;
}

} // namespace actorpipe
