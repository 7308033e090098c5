// SPDX-License-Identifier: Apache-2.0
/// The contract of what mini-batches come from.
#pragma once

#include "compute/data/batch.hpp"

#include <cstdint>
#include <optional>

namespace actorpipe {

/// Where mini-batches come from.
class data_source {
public:
  virtual ~data_source() = default;

  /// The mini-batch of a step: the same whenever and in whatever order it is
  /// asked for. Empty: the data has ended; a short last batch is an ordinary
  /// answer.
  virtual std::optional<batch> batch_at(std::int64_t step) = 0;
};

} // namespace actorpipe
