// SPDX-License-Identifier: Apache-2.0
/// What a scheduler is made from.
#pragma once

#include "actors/parameter_layout.hpp"
#include "compute/model/model.hpp"
#include "compute/optim/optimizer.hpp"
#include "partition/plan.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace actorpipe {

struct scheduler_options {
  std::uint64_t run = 0;
  std::shared_ptr<const model> source;
  std::shared_ptr<const optimizer> rule;
  std::shared_ptr<const plan> how;
  std::shared_ptr<const parameter_layout> layout;
  /// A monotonic clock in nanoseconds, for what is reported.
  std::function<std::int64_t()> now_ns;
  /// A supervisor sees to actors that go, with `halt`. Otherwise one that goes
  /// ends the pipeline.
  bool supervised = false;
  /// Answers that are missing are asked for again at this interval; zero:
  /// never.
  std::chrono::nanoseconds repeat_interval = std::chrono::milliseconds(250);
};

} // namespace actorpipe
