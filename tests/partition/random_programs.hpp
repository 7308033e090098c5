// SPDX-License-Identifier: Apache-2.0
/// Programs drawn at random from all that are legal.
#pragma once

#include "partition/shape.hpp"

#include <random>
#include <vector>

namespace actorpipe::testing {

/// Records a run in which a random one of the actions that can go next goes
/// next, again and again: whole and split backwards, some recomputed, updates
/// wherever they may stand. `shape` is a chain. Written without the library's
/// own rules, to be compared with them.
std::vector<program> random_programs(const pipeline_shape& shape,
                                     std::mt19937& random);

/// A chain of up to 5 cells on up to 3 devices with up to 5 micro-batches and
/// 3 credits.
pipeline_shape random_shape(std::mt19937& random);

} // namespace actorpipe::testing
