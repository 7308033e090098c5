// SPDX-License-Identifier: Apache-2.0
/// Spawning, driving and ending the actors of a pipeline.
#include "actors/pipeline.hpp"

#include "actors/parameter.hpp"
#include "actors/pipeline_parts.hpp"
#include "actors/scheduler.hpp"
#include "actors/shard_values.hpp"
#include "actors/stage.hpp"
#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <utility>

namespace actorpipe {

struct pipeline::implementation {
  caf::actor_system& system;
  std::shared_ptr<const model> source;
  std::shared_ptr<const optimizer> rule;
  std::shared_ptr<const plan> how;
  std::shared_ptr<const parameter_layout> layout;
  std::vector<std::shared_ptr<memory_account>> activations;     ///< per stage
  std::vector<std::shared_ptr<memory_account>> gradients;       ///< per stage
  std::vector<std::shared_ptr<memory_account>> held_parameters; ///< per stage
  scheduler_actor scheduler;
  std::vector<stage_actor> stages;
  std::vector<parameter_actor> parameters;

  template <class F, class... Ts>
  auto spawn(bool detached, F make, Ts&&... xs) {
    return detached ? system.spawn<caf::detached>(make, std::forward<Ts>(xs)...)
                    : system.spawn(make, std::forward<Ts>(xs)...);
  }

  scheduler_client client() const { return {system, scheduler}; }
};

pipeline::pipeline(caf::actor_system& system, pipeline_options options) {
  if (!is_configured(system))
    throw std::invalid_argument(
      "this actor system does not know actorpipe's messages: call "
      "actorpipe::configure(config) before making it");
  const auto parts = make_parts(options);
  const auto& [run, seed, source, rule, how, layout, now_ns] = parts;
  if (options.devices.empty())
    for (std::uint32_t i = 0; i < how->devices(); ++i)
      options.devices.push_back(
        make_cpu_device("cpu:" + std::to_string(i), options.threads_per_stage));
  if (options.devices.size() != how->devices())
    throw std::invalid_argument(
      "the plan has " + std::to_string(how->devices()) + " devices and "
      + std::to_string(options.devices.size()) + " were given");
  impl_.reset(new implementation{
    system, source, rule, how, layout, {}, {}, {}, {}, {}, {}});
  const auto account = [](std::uint32_t stage, const char* what) {
    return std::make_shared<memory_account>("stage " + std::to_string(stage)
                                            + " " + what);
  };
  for (std::uint32_t i = 0; i < how->devices(); ++i) {
    impl_->activations.push_back(account(i, "activations"));
    impl_->gradients.push_back(account(i, "gradients"));
    impl_->held_parameters.push_back(account(i, "parameters"));
    impl_->stages.push_back(impl_->spawn(
      options.detached, make_stage,
      stage_options{i, run, seed, source, how, layout, options.devices[i],
                    impl_->activations[i], impl_->gradients[i], now_ns}));
  }
  for (std::uint32_t i = 0; i < how->cells(); ++i) {
    const auto stage = how->device_of_cell[i];
    impl_->parameters.push_back(
      impl_->spawn(options.detached, make_parameter,
                   parameter_options{i, run, seed, source, rule, how, layout,
                                     options.devices[stage],
                                     impl_->held_parameters[stage]}));
  }
  impl_->scheduler =
    impl_->spawn(options.detached, make_scheduler,
                 scheduler_options{run, source, rule, how, layout, now_ns});
  introduction everyone;
  everyone.run = run;
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
  if (!are_of(*impl_->source, *impl_->rule, next))
    throw std::invalid_argument(
      "these values are of another model or optimiser");
  impl_->client().set_values(next);
}

std::vector<stage_memory> pipeline::peak_memory() const {
  std::vector<stage_memory> result;
  for (std::size_t i = 0; i < impl_->activations.size(); ++i)
    result.push_back({impl_->activations[i]->peak_bytes(),
                      impl_->gradients[i]->peak_bytes(),
                      impl_->held_parameters[i]->peak_bytes()});
  return result;
}

const scheduler_actor& pipeline::scheduler() const noexcept {
  return impl_->scheduler;
}

const plan& pipeline::how() const noexcept {
  return *impl_->how;
}

} // namespace actorpipe
