// SPDX-License-Identifier: Apache-2.0
/// Whether a run may go on from a checkpoint, and where it goes on.
#pragma once

#include "actors/run/checkpoint.hpp"
#include "actors/run/run_directory.hpp"
#include "actors/run/training_run.hpp"

#include <cstdint>

namespace actorpipe {

/// Throws `checkpoint_error`, listing the settings that differ with both
/// values, unless the run of `options` would go on as the saved one would have:
/// the same seed, optimiser and data, and steps left to do. Data that a host
/// application supplies is not compared.
void require_same_run(const checkpoint& saved, const training_options& options);

/// The directory of the run that goes on, when it goes on from its newest
/// checkpoint (at `step`) and nothing else was asked for; else a new one.
/// Throws `run_directory_error` and `io_error`.
run_directory choose_directory(const training_options& options,
                               std::int64_t step);

} // namespace actorpipe
