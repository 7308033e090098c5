// SPDX-License-Identifier: Apache-2.0
/// The fill-drain schedule as the GPipe paper draws it: drains backwards.
#pragma once

#include "partition/action.hpp"

#include <cstdint>

namespace actorpipe {

/// As `fill_drain_program`, but the last micro-batch is drained first, as in
/// figure 2c of arXiv 1811.06965. Every cell turns around on the micro-batch
/// that it has just run, and adds its gradients in the order M-1..0. K = 3,
/// M = 3, by tick (F and B of one tick):
///
///     cell 0 | 0F0 0F1 0F2  .   .   .   .  0B2 0B1 0B0
///     cell 1 |  .  1F0 1F1 1F2  .   .  1B2 1B1 1B0  .
///     cell 2 |  .   .  2F0 2F1 2F2 2B2 2B1 2B0  .   .
program fill_drain_reverse_program(std::uint32_t cell,
                                   std::uint32_t micro_batches);

} // namespace actorpipe
