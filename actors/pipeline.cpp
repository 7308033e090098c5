// SPDX-License-Identifier: Apache-2.0
/// Spawning, driving and ending the actors of a pipeline.
#include "actors/pipeline.hpp"

#include "actors/parameter.hpp"
#include "actors/scheduler.hpp"
#include "actors/shard_values.hpp"
#include "actors/stage.hpp"
#include "messages/type_ids.hpp"
#include "partition/make_plan.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <random>
#include <type_traits>
#include <utility>

namespace actorpipe {

namespace {

std::int64_t steady_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
           std::chrono::steady_clock::now().time_since_epoch())
    .count();
}

std::uint64_t draw_run() {
  std::random_device source;
  return (std::uint64_t{source()} << 32 | source()) | 1;
}

step_failure lost(const caf::error& why) {
  return {error_code::actor_lost,
          "the pipeline's actors do not answer: " + to_string(why), 0};
}

} // namespace

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

  template <class Outcome, class... Request>
  Outcome ask(const Request&... what) {
    Outcome outcome;
    caf::scoped_actor self{system};
    self->request(scheduler, caf::infinite, what...)
      .receive([&](Outcome& answer) { outcome = std::move(answer); },
               [&](const caf::error& why) { outcome.failure = lost(why); });
    if (!outcome.ok)
      throw pipeline_error(outcome.failure);
    return outcome;
  }
};

pipeline::pipeline(caf::actor_system& system, pipeline_options options) {
  if (!is_configured(system))
    throw std::invalid_argument(
      "this actor system does not know actorpipe's messages: call "
      "actorpipe::configure(config) before making it");
  if (options.source == nullptr)
    throw std::invalid_argument("a pipeline needs a model");
  auto how = std::make_shared<const plan>(std::move(options.how));
  require_valid(*how);
  if (how->cut.back() != options.source->size())
    throw std::invalid_argument(
      "the plan cuts " + std::to_string(how->cut.back())
      + " layers and the model has " + std::to_string(options.source->size()));
  for (const auto& actions : how->programs)
    for (const auto& x : actions)
      if (x.kind == action_kind::input_gradient
          || x.kind == action_kind::weight_gradient)
        throw std::invalid_argument(
          "the plan splits a backward (" + to_string(x)
          + "); a stage computes both parts at once, as B");
  if (options.devices.empty())
    for (std::uint32_t i = 0; i < how->devices(); ++i)
      options.devices.push_back(
        make_cpu_device("cpu:" + std::to_string(i), options.threads_per_stage));
  if (options.devices.size() != how->devices())
    throw std::invalid_argument(
      "the plan has " + std::to_string(how->devices()) + " devices and "
      + std::to_string(options.devices.size()) + " were given");
  if (!options.now_ns)
    options.now_ns = steady_now_ns;
  if (options.run == 0)
    options.run = draw_run();
  std::shared_ptr<const optimizer> rule = make_optimizer(options.optimizer);
  auto layout =
    std::make_shared<const parameter_layout>(*options.source, how->cut);
  impl_.reset(new implementation{
    system, options.source, rule, how, layout, {}, {}, {}, {}, {}, {}});
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
      stage_options{i, options.run, options.seed, options.source, how, layout,
                    options.devices[i], impl_->activations[i],
                    impl_->gradients[i], options.now_ns}));
  }
  for (std::uint32_t i = 0; i < how->cells(); ++i) {
    const auto stage = how->device_of_cell[i];
    impl_->parameters.push_back(impl_->spawn(
      options.detached, make_parameter,
      parameter_options{i, options.run, options.seed, options.source, rule, how,
                        layout, options.devices[stage],
                        impl_->held_parameters[stage]}));
  }
  impl_->scheduler =
    impl_->spawn(options.detached, make_scheduler,
                 scheduler_options{options.run, options.source, rule, how,
                                   layout, options.now_ns});
  introduction everyone;
  everyone.run = options.run;
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
  return impl_->ask<step_outcome>(how, local_batch{data}).report;
}

step_report pipeline::evaluate(const batch& data, const evaluate_request& how) {
  return impl_->ask<step_outcome>(how, local_batch{data}).report;
}

model_values pipeline::values() {
  return impl_->ask<values_outcome>(get_values{}).all;
}

void pipeline::set_values(const model_values& next) {
  if (!are_of(*impl_->source, *impl_->rule, next))
    throw std::invalid_argument(
      "these values are of another model or optimiser");
  impl_->ask<values_outcome>(actorpipe::set_values{}, local_values{next});
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
