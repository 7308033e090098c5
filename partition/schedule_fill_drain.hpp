// SPDX-License-Identifier: Apache-2.0
/// The fill-drain schedule: every forward, then every backward in order.
#pragma once

#include "partition/action.hpp"

#include <cstdint>

namespace actorpipe {

/// The forwards and backwards of one cell (GPipe, arXiv 1811.06965), without
/// recomputes and update. Draining in the order 0..M-1 keeps the sum of the
/// gradients in micro-batch order. K = 3, M = 3, by tick (F and B of one tick):
///
///     cell 0 | 0F0 0F1 0F2  .   .   .   .  0B0 0B1 0B2
///     cell 1 |  .  1F0 1F1 1F2  .   .  1B0 1B1 1B2  .
///     cell 2 |  .   .  2F0 2F1 2F2 2B0 2B1 2B2  .   .
///
/// Every cell holds all M micro-batches when it turns around.
program fill_drain_program(std::uint32_t cell, std::uint32_t micro_batches);

} // namespace actorpipe
