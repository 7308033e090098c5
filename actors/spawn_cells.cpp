// SPDX-License-Identifier: Apache-2.0
/// From checked options to actors.
#include "actors/spawn_cells.hpp"

#include "actors/keeper.hpp"
#include "actors/parameter.hpp"
#include "actors/stage.hpp"
#include "messages/type_ids.hpp"

#include <caf/actor_system.hpp>

#include <utility>

namespace actorpipe {

namespace {

template <class Make, class Options>
auto spawn(caf::actor_system& system, bool detached, Make make,
           Options options) {
  return detached ? system.spawn<caf::detached>(make, std::move(options))
                  : system.spawn(make, std::move(options));
}

} // namespace

stage_accounts make_accounts(std::uint32_t stage) {
  const auto account = [&](const char* what) {
    return std::make_shared<memory_account>("stage " + std::to_string(stage)
                                            + " " + what);
  };
  return {account("activations"), account("gradients"), account("parameters")};
}

spawned_stage spawn_stage(caf::actor_system& system,
                          const pipeline_parts& parts, std::uint32_t stage,
                          std::shared_ptr<device> where,
                          const stage_accounts& accounts, bool detached,
                          stage_hooks hooks) {
  const auto board = std::make_shared<standing_board>(stage, parts.now_ns);
  return {
    spawn(system, detached, make_stage,
          stage_options{stage, parts.run, parts.seed, parts.source, parts.how,
                        parts.layout, std::move(where), accounts.activations,
                        accounts.gradients, parts.now_ns, board,
                        std::move(hooks.before_action),
                        std::move(hooks.after_action)}),
    board};
}

parameter_actor spawn_parameter(caf::actor_system& system,
                                const pipeline_parts& parts, std::uint32_t cell,
                                std::shared_ptr<device> where,
                                const stage_accounts& accounts, bool detached) {
  return spawn(system, detached, make_parameter,
               parameter_options{cell, parts.run, parts.seed, parts.source,
                                 parts.rule, parts.how, parts.layout,
                                 std::move(where), accounts.parameters});
}

keeper_actor spawn_keeper(caf::actor_system& system,
                          const pipeline_parts& parts,
                          std::shared_ptr<memory_account> holder,
                          bool detached) {
  return spawn(system, detached, make_keeper,
               keeper_options{parts.run, parts.source, parts.rule, parts.how,
                              parts.layout, std::move(holder)});
}

} // namespace actorpipe
