// SPDX-License-Identifier: Apache-2.0
/// Drawing the points.
#include "spirals.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace embed {

std::optional<actorpipe::batch> spirals::batch_at(std::int64_t step) {
  std::seed_seq seed{static_cast<std::uint64_t>(step), seed_};
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> along(0.05F, 1.0F);
  std::vector<float> points;
  std::vector<std::int32_t> classes;
  for (std::int64_t i = 0; i < samples_; ++i) {
    const auto side = static_cast<std::int32_t>(i % 2);
    const auto radius = along(random);
    const auto angle = 2 * std::numbers::pi_v<float> * radius
                     + std::numbers::pi_v<float> * static_cast<float>(side);
    points.push_back(radius * std::cos(angle));
    points.push_back(radius * std::sin(angle));
    classes.push_back(side);
  }
  return actorpipe::batch{{actorpipe::tensor::from({samples_, 2}, points)},
                          actorpipe::tensor::from({samples_}, classes)};
}

} // namespace embed
