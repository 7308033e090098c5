// SPDX-License-Identifier: Apache-2.0
/// Loading a trained model and evaluating it.
#include "actors/run/trained_model.hpp"

#include "actors/run/checkpoint_values.hpp"
#include "actors/run/run_directory.hpp"

#include <utility>

namespace actorpipe {

trained_model load_trained_model(const std::string& path,
                                 const layer_registry& registry) {
  const auto saved = load_run_checkpoint(path);
  trained_model result;
  result.config = parse_config(saved.config, path);
  result.step = saved.step;
  result.source = build_model(model_of(result.config), registry);
  std::shared_ptr<const optimizer> rule =
    make_optimizer(result.config.optimizer.update);
  auto values = restore_values(saved, *result.source, *rule);
  const auto threads =
    static_cast<std::size_t>(result.config.pipeline.threads_per_stage);
  result.loop = std::make_unique<sequential_trainer>(
    result.source, rule, make_cpu_device("cpu:0", threads), saved.seed);
  result.loop->set_values(std::move(values));
  return result;
}

evaluation evaluate_trained_model(trained_model& trained) {
  const auto text = open_text(trained.config);
  return evaluate_source(*text.held_out, 0, [&](const batch& data) {
    const auto part =
      trained.loop->evaluate(data, trained.config.pipeline.micro_batches);
    return evaluation{part.loss, part.targets};
  });
}

} // namespace actorpipe
