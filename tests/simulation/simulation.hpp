// SPDX-License-Identifier: Apache-2.0
/// The vocabulary of simulations: the pipeline in one thread and the plain loop
/// that it must equal.
#pragma once

#include "compute/train/sequential.hpp"
#include "tests/support/pipeline_models.hpp"
#include "tests/support/simulated_pipeline.hpp"

#include <memory>
#include <utility>

namespace actorpipe::test {

/// A model of ten layers with everything that a boundary can carry.
inline std::shared_ptr<const model> mixed() {
  return build_model(mixed_model(), pipeline_registry());
}

inline optimizer_options adam() {
  optimizer_options result;
  result.kind = optimizer_kind::adamw;
  result.weight_decay = 0.1;
  return result;
}

inline batch data_of(std::int64_t step, std::int64_t samples) {
  return perceptron_batch(samples, static_cast<std::uint64_t>(step) + 10);
}

inline train_request request_of(std::int64_t step) {
  return {step, 0.05, 1.0};
}

inline simulation_options simulation_of(std::shared_ptr<const model> source,
                                        const arrangement& how,
                                        std::uint64_t order_seed = 1) {
  simulation_options result;
  result.how = plan_for(*source, data_of(0, how.samples), how);
  result.source = std::move(source);
  result.rule = make_optimizer(adam());
  result.order_seed = order_seed;
  return result;
}

/// What the plain loop makes of the first `steps` mini-batches.
inline model_values plain_values(std::shared_ptr<const model> source,
                                 const arrangement& how, std::int64_t steps) {
  sequential_trainer plain(std::move(source), make_optimizer(adam()),
                           make_reference_device("plain"), 1);
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto request = request_of(step);
    plain.train(data_of(step, how.samples), step,
                {how.micro_batches, request.learning_rate, request.max_norm});
  }
  return plain.values();
}

/// Trains on `steps` mini-batches from `first` on; each must end well.
inline void train_steps(simulated_pipeline& line, const arrangement& how,
                        std::int64_t steps, std::int64_t first = 0) {
  for (auto step = first; step < first + steps; ++step) {
    const auto outcome =
      line.train(data_of(step, how.samples), request_of(step));
    ASSERT_TRUE(outcome) << "step " << step << " stalls";
    ASSERT_TRUE(outcome->ok) << outcome->failure.text;
  }
}

} // namespace actorpipe::test
