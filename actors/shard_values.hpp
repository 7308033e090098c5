// SPDX-License-Identifier: Apache-2.0
/// The values of one cell, and their order and types in a shard.
#pragma once

#include "actors/parameter_layout.hpp"
#include "compute/model/model.hpp"
#include "compute/optim/optimizer.hpp"
#include "compute/train/model_values.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace actorpipe {

/// One version of one cell.
struct cell_values {
  std::vector<parameter_value> parameters; ///< of the cell, in model order
  std::vector<tensor_list> states;         ///< per layer of the cell, per state
  std::int64_t updates = 0;                ///< the version
};

/// Types of the tensors of the shard of `cell`: per parameter in model order
/// its weight and its slots, then per layer its states. `cut` as in
/// `plan::cut`.
std::vector<tensor_type> shard_types(const model& source, const optimizer& rule,
                                     const parameter_layout& layout,
                                     std::span<const std::size_t> cut,
                                     std::uint32_t cell);

/// Whether these are defined tensors of these types, one by one.
bool are_of_types(const tensor_list& tensors,
                  std::span<const tensor_type> types);

/// In the order of a shard; shares memory.
tensor_list flatten(const cell_values& values);

/// The inverse. Requires that `are_of_types(tensors, shard_types(...))`.
cell_values unflatten(const tensor_list& tensors, std::int64_t version,
                      const model& source, const optimizer& rule,
                      const parameter_layout& layout,
                      std::span<const std::size_t> cut, std::uint32_t cell);

/// Whether `values` can be a version of this model under this optimiser.
bool are_of(const model& source, const optimizer& rule,
            const model_values& values);

/// The part of `cell` of the values of a whole model; shares memory. Requires
/// that `are_of(..., values)`.
cell_values part_of(const model_values& values, const parameter_layout& layout,
                    std::span<const std::size_t> cut, std::uint32_t cell);

/// The inverse for one cell: puts `part` at its place in `values`, whose lists
/// are as long as the model's.
void put_part(model_values& values, cell_values part,
              const parameter_layout& layout, std::span<const std::size_t> cut,
              std::uint32_t cell);

} // namespace actorpipe
