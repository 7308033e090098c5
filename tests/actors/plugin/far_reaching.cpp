// SPDX-License-Identifier: Apache-2.0
/// A plugin that calls what nothing else in the program calls.
#include "compute/layers/plugin.hpp"
#include "compute/model/gpt.hpp"
#include "compute/train/sequential.hpp"

namespace {

/// "gpt_losses": named after how many layers the preset has.
void register_layers(actorpipe::layer_registry& into) {
  const auto what = actorpipe::build_model(actorpipe::make_gpt({}), into);
  const actorpipe::sequential_trainer trainer(
    what, actorpipe::make_optimizer({}),
    actorpipe::make_counting_device("counts"), 1);
  into.add("gpt_of_" + std::to_string(what->size()),
           [](const auto& spec, const auto& registry) {
             return registry.make(spec.layers.at(0));
           });
}

} // namespace

ACTORPIPE_PLUGIN(register_layers)
