// SPDX-License-Identifier: Apache-2.0
/// A layer that passes its input on, and lets a benchmark watch it do so.
#pragma once

#include "actors/pipeline.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace actorpipe::benchmarks {

/// What a layer does, on one of its device's threads, when it runs.
struct layer_hooks {
  std::function<void(std::size_t layer)> forward;
  std::function<void(std::size_t layer)> backward;
};

/// A model of `layers` such layers, each of which maps f32[B, 2] to itself, and
/// a cross-entropy.
std::shared_ptr<const model> make_passing_model(std::size_t layers,
                                                const layer_hooks& hooks);

/// A mini-batch for it.
batch make_passing_batch(std::int64_t samples);

/// One layer a stage, nothing recomputed, one sample a micro-batch.
pipeline_options make_passing_line(std::uint32_t stages,
                                   std::uint32_t micro_batches,
                                   const layer_hooks& hooks);

} // namespace actorpipe::benchmarks
