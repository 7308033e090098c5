// SPDX-License-Identifier: Apache-2.0
/// The cut that a person asked for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace actorpipe {

/// The cut whose cell k has `balance[k]` layers. Throws
/// `std::invalid_argument` if the sizes do not add up to `layers`, with both
/// numbers, or if a cell is empty in a model that has layers.
std::vector<std::size_t> cut_by_hand(std::span<const std::size_t> balance,
                                     std::size_t layers);

} // namespace actorpipe
