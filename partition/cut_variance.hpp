// SPDX-License-Identifier: Apache-2.0
/// The cut with the least variance of the cells' costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace actorpipe {

/// As `make_cut`, whose requirements hold: the objective of the GPipe paper
/// (arXiv 1811.06965, section 2.2), minimised. Exact for integer costs whose
/// squared sum a double holds, else up to rounding. Time: O(K L log L).
std::vector<std::size_t> cut_by_variance(std::span<const double> costs,
                                         std::uint32_t cells);

} // namespace actorpipe
