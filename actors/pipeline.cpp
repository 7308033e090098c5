// SPDX-License-Identifier: Apache-2.0
/// Spawning, driving and ending the actors of a pipeline.
#include "actors/pipeline.hpp"

#include "actors/pipeline_parts.hpp"
#include "actors/scheduler.hpp"
#include "actors/shard_values.hpp"
#include "actors/spawn_cells.hpp"
#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <string>
#include <utility>

namespace actorpipe {

struct pipeline::implementation {
  caf::actor_system& system;
  pipeline_parts parts;
  std::vector<stage_accounts> accounts = {}; ///< per stage
  std::vector<std::shared_ptr<const standing_board>> boards = {};
  scheduler_actor scheduler = {};
  std::vector<stage_actor> stages = {};
  std::vector<parameter_actor> parameters = {};

  scheduler_client client() const { return {system, scheduler}; }
};

pipeline::pipeline(caf::actor_system& system, pipeline_options options) {
  if (!is_configured(system))
    throw std::invalid_argument(
      "this actor system does not know actorpipe's messages: call "
      "actorpipe::configure(config) before making it");
  const auto parts = make_parts(options);
  const auto& how = *parts.how;
  if (options.devices.empty())
    for (std::uint32_t i = 0; i < how.devices(); ++i)
      options.devices.push_back(
        make_cpu_device("cpu:" + std::to_string(i), options.threads_per_stage));
  if (options.devices.size() != how.devices())
    throw std::invalid_argument(
      "the plan has " + std::to_string(how.devices()) + " devices and "
      + std::to_string(options.devices.size()) + " were given");
  impl_.reset(new implementation{system, parts});
  for (std::uint32_t i = 0; i < how.devices(); ++i) {
    impl_->accounts.push_back(make_accounts(i));
    auto [stage, board] = spawn_stage(system, parts, i, options.devices[i],
                                      impl_->accounts[i], options.detached);
    impl_->stages.push_back(std::move(stage));
    impl_->boards.push_back(std::move(board));
  }
  for (std::uint32_t i = 0; i < how.cells(); ++i) {
    const auto stage = how.device_of_cell[i];
    impl_->parameters.push_back(
      spawn_parameter(system, parts, i, options.devices[stage],
                      impl_->accounts[stage], options.detached));
  }
  const scheduler_options scheduling{parts.run, parts.source, parts.rule,
                                     parts.how, parts.layout, parts.now_ns};
  impl_->scheduler = options.detached
                     ? system.spawn<caf::detached>(make_scheduler, scheduling)
                     : system.spawn(make_scheduler, scheduling);
  introduction everyone;
  everyone.run = parts.run;
  everyone.scheduler = caf::actor_cast<caf::strong_actor_ptr>(impl_->scheduler);
  everyone.feed = everyone.scheduler;
  for (const auto& x : impl_->stages)
    everyone.stages.push_back(caf::actor_cast<caf::strong_actor_ptr>(x));
  for (const auto& x : impl_->parameters)
    everyone.parameters.push_back(caf::actor_cast<caf::strong_actor_ptr>(x));
  // Stages first: parameter actors publish to them once introduced.
  for (const auto& x : impl_->stages)
    caf::anon_send(x, everyone);
  for (const auto& x : impl_->parameters)
    caf::anon_send(x, everyone);
  caf::anon_send(impl_->scheduler, everyone);
}

pipeline::~pipeline() {
  if (!impl_)
    return;
  // Actors that know each other would keep each other alive.
  const auto end = [](const auto& x) {
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  };
  end(impl_->scheduler);
  for (const auto& x : impl_->stages)
    end(x);
  for (const auto& x : impl_->parameters)
    end(x);
  caf::scoped_actor self{impl_->system};
  self->wait_for(impl_->scheduler);
  self->wait_for(impl_->stages);
  self->wait_for(impl_->parameters);
}

step_report pipeline::train(const batch& data, const train_request& how) {
  return impl_->client().train(data, how);
}

step_report pipeline::evaluate(const batch& data, const evaluate_request& how) {
  return impl_->client().evaluate(data, how);
}

model_values pipeline::values() {
  return impl_->client().values();
}

void pipeline::set_values(const model_values& next) {
  if (!are_of(*impl_->parts.source, *impl_->parts.rule, next))
    throw std::invalid_argument(
      "these values are of another model or optimiser");
  impl_->client().set_values(next);
}

std::vector<stage_memory> pipeline::peak_memory() const {
  std::vector<stage_memory> result;
  for (const auto& x : impl_->accounts)
    result.push_back({x.activations->peak_bytes(), x.gradients->peak_bytes(),
                      x.parameters->peak_bytes()});
  return result;
}

std::vector<standing> pipeline::standings() const {
  std::vector<standing> result;
  for (const auto& x : impl_->boards)
    result.push_back(x->read());
  return result;
}

const scheduler_actor& pipeline::scheduler() const noexcept {
  return impl_->scheduler;
}

const plan& pipeline::how() const noexcept {
  return *impl_->parts.how;
}

} // namespace actorpipe
