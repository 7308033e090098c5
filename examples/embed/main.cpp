// SPDX-License-Identifier: Apache-2.0
/// Trains a small classifier of its own through a pipeline, inside its own
/// actor system, with its own layer, data and messages.
#include "sine_layer.hpp"
#include "spirals.hpp"
#include "trainer.hpp"
#include "types.hpp"

#include <actorpipe/actors/pipeline.hpp>
#include <actorpipe/actors/run/run_plan.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>

namespace {

constexpr std::int64_t samples = 64; // B
constexpr std::int64_t steps = 301;

/// Both this application's messages and the library's.
struct config : caf::actor_system_config {
  config() {
    add_message_types<caf::id_block::embed>();
    actorpipe::configure(*this);
  }
};

std::shared_ptr<const actorpipe::model> make_model() {
  auto registry = actorpipe::layer_registry::with_builtin();
  embed::register_sine(registry);
  actorpipe::model_spec spec;
  spec.layers = {
    {"linear", "first", {{"inputs", 2}, {"outputs", 64}}, {}},
    {"sine", "wave", {{"frequency", 3.0}}, {}},
    {"linear", "second", {{"inputs", 64}, {"outputs", 64}}, {}},
    {"tanh", "bend", {}, {}},
    {"linear", "head", {{"inputs", 64}, {"outputs", 2}}, {}},
  };
  spec.loss = {"softmax_cross_entropy", "loss", {}, {}};
  return actorpipe::build_model(spec, registry);
}

/// Three stages, four micro-batches; the layers' costs decide the cut.
actorpipe::pipeline_options make_options() {
  actorpipe::pipeline_options options;
  options.source = make_model();
  options.optimizer.kind = actorpipe::optimizer_kind::adam;
  options.seed = 1;

  actorpipe::run_plan_options how;
  how.pipeline.stages = 3;
  how.pipeline.micro_batches = 4;
  how.pipeline.schedule = actorpipe::schedule_kind::one_f_one_b;
  how.optimizer = options.optimizer;
  how.inputs = {{actorpipe::dtype::f32, {samples, 2}}};
  how.targets = {actorpipe::dtype::i32, {samples}};
  options.how = actorpipe::make_run_plan(options.source, how).how;
  return options;
}

embed::summary train(caf::actor_system& system) {
  const actorpipe::pipeline line(system, make_options());
  const auto trainer =
    system.spawn(embed::make_trainer, line.scheduler(),
                 std::make_shared<embed::spirals>(samples, 7));
  embed::summary result;
  caf::scoped_actor self(system);
  self->request(trainer, caf::infinite, embed::start{steps})
    .receive(
      [&](const embed::summary& x) { result = x; },
      [&](const caf::error&) { result.failure = "the trainer has gone"; });
  return result;
}

} // namespace

int main() {
  try {
    config cfg;
    caf::actor_system system(cfg);
    const auto result = train(system);
    if (!result.failure.empty()) {
      std::cerr << "failed: " << result.failure << '\n';
      return EXIT_FAILURE;
    }
    std::cout << "loss on unseen points: " << result.unseen_loss << '\n';
    return result.unseen_loss < result.first_loss / 2 ? EXIT_SUCCESS
                                                      : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::cerr << "failed: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
