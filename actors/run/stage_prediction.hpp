// SPDX-License-Identifier: Apache-2.0
/// What the stages of a plan are expected to hold.
#pragma once

#include "actors/pipeline.hpp"
#include "compute/model/memory_profile.hpp"
#include "compute/model/model.hpp"
#include "partition/plan.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace actorpipe {

/// Bytes of layers [first, last) as one cell, found by a dry run. `boundaries`
/// are of one micro-batch, as `model::boundaries` gives them.
cell_footprint
footprint_of(const std::shared_ptr<const model>& source, std::size_t first,
             std::size_t last,
             const std::vector<std::vector<tensor_type>>& boundaries,
             const tensor_type& targets);

/// The peak of each stage over a training step by `how`, with `slots` moments
/// per weight; compare `pipeline::peak_memory`. Throws what `footprint_of` and
/// `peak_memory` throw.
std::vector<stage_memory>
predict_memory(const std::shared_ptr<const model>& source, const plan& how,
               const std::vector<std::vector<tensor_type>>& boundaries,
               const tensor_type& targets, std::size_t slots);

} // namespace actorpipe
