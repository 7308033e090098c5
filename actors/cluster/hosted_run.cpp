// SPDX-License-Identifier: Apache-2.0
/// Spawns what a node is told to.
#include "actors/cluster/hosted_run.hpp"

#include "actors/faults/control_relay.hpp"
#include "actors/spawn_cells.hpp"
#include "compute/layers/model_spec_json.hpp"
#include "messages/type_ids.hpp"
#include "partition/make_plan.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace actorpipe {

namespace {

// Whatever came over the wire is a plan that can be used without looking again.
void require_usable(const plan& how, const model& source) {
  require_valid(how);
  if (how.cut.back() != source.size())
    throw std::invalid_argument("the plan is for another model");
  for (const auto& x : how.edges)
    if ((x.from != edge::feed && x.from >= how.cells()) || x.to >= how.cells())
      throw std::invalid_argument("the plan has an edge to a cell that it does "
                                  "not have");
}

void require_fitting(const placement_map& where, const plan& how) {
  if (where.node_of_stage.size() != how.devices()
      || where.device_of_stage.size() != how.devices()
      || where.keeper_of_cell.size() != how.cells()
      || where.source_of_cell.size() != how.cells())
    throw std::invalid_argument("the placement is of another plan");
}

void end(caf::strong_actor_ptr& who) {
  if (who)
    caf::anon_send_exit(who, caf::exit_reason::user_shutdown);
  who = nullptr;
}

} // namespace

hosted_run::hosted_run(caf::actor_system& system, const hosting& how,
                       std::shared_ptr<const job> what, std::uint32_t process)
  : system_(system), how_(how), what_(std::move(what)),
    plan_(what_, &what_->how), process_(process),
    source_(build_model(model_spec_from_json(what_->model), how_.registry)),
    rule_(make_optimizer(what_->optimizer)) {
  require_usable(*plan_, *source_);
  layout_ = std::make_shared<const parameter_layout>(*source_, plan_->cut);
  actors_.how = plan_;
  actors_.stages.resize(plan_->devices());
  actors_.parameters.resize(plan_->cells());
  if (!what_->faults.empty())
    make_faults();
}

void hosted_run::make_faults() {
  fault_means means;
  means.kill_process = how_.kill;
  means.now_ns = how_.now_ns;
  means.wait = how_.wait;
  means.log = how_.log;
  targets_ = std::make_shared<fault_targets>();
  means.kill_actor = [targets = targets_](const fault_target& who) {
    const std::lock_guard lock(targets->mutex);
    const auto& all =
      who.is_parameter ? targets->now.parameters : targets->now.stages;
    if (who.index < all.size() && all[who.index])
      caf::anon_send_exit(all[who.index], caf::exit_reason::kill);
  };
  faults_ = std::make_shared<fault_injector>(parse_faults(what_->faults),
                                             *plan_, process_, means);
}

action_hook
hosted_run::hook(std::uint32_t stage,
                 void (fault_injector::*call)(std::uint32_t, std::int64_t,
                                              std::uint32_t, const action&)) {
  if (!faults_)
    return {};
  return [faults = faults_, stage, call](std::int64_t step, std::uint32_t tries,
                                         const action& what) {
    (*faults.*call)(stage, step, tries, what);
  };
}

caf::strong_actor_ptr
hosted_run::through_faults(const caf::strong_actor_ptr& trainer) {
  if (!faults_ || !trainer)
    return trainer;
  return relay_control(system_, trainer, [faults = faults_] {
    return faults->loses_control(trainer_process);
  });
}

void hosted_run::show_targets(const local_actors& now) {
  if (!targets_)
    return;
  const std::lock_guard lock(targets_->mutex);
  targets_->now = now;
}

hosted_run::~hosted_run() {
  show_targets({});
  std::ranges::for_each(actors_.stages, end);
  std::ranges::for_each(actors_.parameters, end);
  end(actors_.keeper);
}

template <class Handle>
caf::strong_actor_ptr hosted_run::announced(const Handle& actor,
                                            const std::string& name) {
  auto result = caf::actor_cast<caf::strong_actor_ptr>(actor);
  on_spawn_(result, name);
  return result;
}

void hosted_run::arrange(
  const placement_map& where,
  std::function<void(const caf::strong_actor_ptr&, std::string)> on_spawn) {
  require_fitting(where, *plan_);
  on_spawn_ = std::move(on_spawn);
  for (std::uint32_t stage = 0; stage < plan_->devices(); ++stage)
    if (where.node_of_stage[stage] == process_)
      arrange_stage(stage, where.device_of_stage[stage]);
    else
      end_stage(stage);
  if (!actors_.keeper)
    actors_.keeper = announced(
      spawn_keeper(system_, parts(),
                   std::make_shared<memory_account>("replicas"), how_.detached),
      "the keeper of replicas");
  show_targets(actors_);
}

void hosted_run::arrange_stage(std::uint32_t stage, std::uint32_t index) {
  auto& where = devices_[stage];
  if (!where)
    where = how_.make_device(index, what_->threads_per_stage);
  const auto accounts = make_accounts(stage);
  if (!actors_.stages[stage]) {
    auto [actor, board] =
      spawn_stage(system_, parts(), stage, where, accounts, how_.detached,
                  {hook(stage, &fault_injector::before_action),
                   hook(stage, &fault_injector::after_action)});
    boards_[stage] = std::move(board);
    actors_.stages[stage] = announced(actor, "stage " + std::to_string(stage));
  }
  for (std::uint32_t cell = 0; cell < plan_->cells(); ++cell)
    if (plan_->device_of_cell[cell] == stage && !actors_.parameters[cell])
      actors_.parameters[cell] = announced(
        spawn_parameter(system_, parts(), cell, where, accounts, how_.detached),
        "the parameter actor of cell " + std::to_string(cell));
}

pipeline_parts hosted_run::parts() const {
  return {what_->run, what_->seed, source_, rule_, plan_, layout_, how_.now_ns};
}

void hosted_run::end_stage(std::uint32_t stage) {
  end(actors_.stages[stage]);
  boards_.erase(stage);
  devices_.erase(stage);
  for (std::uint32_t cell = 0; cell < plan_->cells(); ++cell)
    if (plan_->device_of_cell[cell] == stage)
      end(actors_.parameters[cell]);
}

bool hosted_run::forget(const caf::actor_addr& who) {
  const auto drop = [&](caf::strong_actor_ptr& x) {
    if (!x || x->address() != who)
      return false;
    x = nullptr;
    return true;
  };
  return std::ranges::any_of(actors_.stages, drop)
      || std::ranges::any_of(actors_.parameters, drop) || drop(actors_.keeper);
}

mail_route hosted_run::route(const placement_map& where, std::uint64_t attempt,
                             std::uint64_t session) const {
  return {what_,   source_,  rule_,   layout_, where,
          attempt, process_, session, actors_, faults_};
}

std::vector<standing> hosted_run::standings() const {
  std::vector<standing> result;
  for (const auto& [stage, board] : boards_)
    result.push_back(board->read());
  return result;
}

} // namespace actorpipe
