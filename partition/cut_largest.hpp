// SPDX-License-Identifier: Apache-2.0
/// The cut with the least largest cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace actorpipe {

/// As `make_cut`, whose requirements hold. Exact: the largest of `cell_costs`
/// is the least that any cut has, rounding included. Time: O(L).
std::vector<std::size_t> cut_by_largest(std::span<const double> costs,
                                        std::uint32_t cells);

} // namespace actorpipe
