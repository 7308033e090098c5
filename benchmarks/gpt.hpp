// SPDX-License-Identifier: Apache-2.0
/// The language model that the benchmarks train, and pipelines that train it.
#pragma once

#include "actors/pipeline.hpp"
#include "compute/model/gpt.hpp"

#include <caf/actor_system_config.hpp>

#include <cstdint>
#include <memory>

namespace actorpipe::benchmarks {

/// Sizes of the model, of 6.5 million parameters, and of its mini-batch.
namespace gpt {
inline constexpr std::int64_t width = 256;      ///< C
inline constexpr std::int64_t depth = 8;        ///< L, pairs of parts
inline constexpr std::int64_t heads = 4;        ///< H
inline constexpr std::int64_t sequence = 128;   ///< T
inline constexpr std::int64_t vocabulary = 256; ///< V
inline constexpr std::int64_t samples = 32;     ///< B
} // namespace gpt

std::shared_ptr<const model> make_gpt_model();

/// The same tokens and targets at every call.
batch make_gpt_batch();

/// SGD without momentum.
optimizer_options plain_sgd();

inline constexpr train_request gpt_request{0, 1e-3, 0};

/// A pipeline of that model: one thread a stage, nothing recomputed. With two
/// stages, each has half of the blocks; more are cut by estimated time.
pipeline_options make_gpt_line(std::uint32_t stages,
                               std::uint32_t micro_batches);

/// A CAF configuration that knows the messages.
struct configured : caf::actor_system_config {
  configured();
};

} // namespace actorpipe::benchmarks
