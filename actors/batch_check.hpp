// SPDX-License-Identifier: Apache-2.0
/// Whether a mini-batch fits a model and a plan, found before it is started.
#pragma once

#include "compute/data/batch.hpp"
#include "compute/model/model.hpp"
#include "partition/plan.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace actorpipe {

/// What is wrong with `data`, cut into at most `micro_batches`, for a person:
/// its shapes do not fit the model, more or other tensors would cross an edge
/// than it was planned for, or a micro-batch is larger than planned. Empty when
/// it fits.
std::optional<std::string> find_batch_fault(const model& source,
                                            const plan& how, const batch& data,
                                            std::int64_t micro_batches);

} // namespace actorpipe
