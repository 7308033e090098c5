// SPDX-License-Identifier: Apache-2.0
/// The 1F1B schedule: as few micro-batches in a cell as keep it busy.
#pragma once

#include "partition/action.hpp"

#include <cstdint>

namespace actorpipe {

/// The forwards and backwards of one of `cells` cells (PipeDream-flush, arXiv
/// 2006.09503), without recomputes and update: K - 1 - k forwards, then one
/// forward and one backward in turn, then the backwards that are left. The
/// order of the backwards is 0..M-1. K = 3, M = 4, by tick (F and B of one
/// tick):
///
///     cell 0 | 0F0 0F1 0F2  .   .  0B0 0F3 0B1  .  0B2  .  0B3
///     cell 1 |  .  1F0 1F1  .  1B0 1F2 1B1 1F3 1B2  .  1B3  .
///     cell 2 |  .   .  2F0 2B0 2F1 2B1 2F2 2B2 2F3 2B3  .   .
///
/// Cell k holds at most min(M, K - k) micro-batches.
program one_f_one_b_program(std::uint32_t cell, std::uint32_t cells,
                            std::uint32_t micro_batches);

} // namespace actorpipe
