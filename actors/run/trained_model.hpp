// SPDX-License-Identifier: Apache-2.0
/// A trained model as a run directory keeps it, ready to be used.
#pragma once

#include "actors/run/config.hpp"
#include "actors/run/run_data.hpp"
#include "compute/layers/layer_registry.hpp"
#include "compute/train/sequential.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace actorpipe {

struct trained_model {
  run_config config; ///< of the run that made it
  std::int64_t step = 0;
  std::shared_ptr<const model> source;
  std::unique_ptr<sequential_trainer> loop; ///< holds the values
};

/// Loads the newest checkpoint of a run directory, or the given checkpoint.
/// Throws `checkpoint_error`, `config_error`, `model_error`.
trained_model load_trained_model(const std::string& path,
                                 const layer_registry& registry);

/// Mean loss over the held-out text of the run's data. Throws `data_error`.
evaluation evaluate_trained_model(trained_model& trained);

} // namespace actorpipe
