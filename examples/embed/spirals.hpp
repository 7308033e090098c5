// SPDX-License-Identifier: Apache-2.0
/// Points on two spirals that wind around each other: which is it on?
#pragma once

#include <actorpipe/compute/data/data_source.hpp>

#include <cstdint>
#include <optional>

namespace embed {

/// Batches of f32[B, 2] points and i32[B] classes. A step's batch is a function
/// of (seed, step) alone, as `data_source` demands.
class spirals final : public actorpipe::data_source {
public:
  spirals(std::int64_t samples, std::uint64_t seed)
    : samples_(samples), seed_(seed) {}

  std::optional<actorpipe::batch> batch_at(std::int64_t step) override;

private:
  std::int64_t samples_;
  std::uint64_t seed_;
};

} // namespace embed
