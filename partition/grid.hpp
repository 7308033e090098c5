// SPDX-License-Identifier: Apache-2.0
/// Programs drawn as text, one row a device.
#pragma once

#include "partition/check.hpp"

#include <span>
#include <string>

namespace actorpipe {

/// One row a device, one column a position:
///
///     device 0 | 0F0 0F1 0B0 0B1 0U0
///     device 1 | 1F0 1F1 1B0 1B1 1U0
std::string to_grid(std::span<const program> programs);

/// The part of the grid around the first fault, with every fault in that part
/// marked below its row. Rows of devices without a fault are left out where
/// there are many.
///
///     device 0 | 0F0 0F1 0B0 0B1 0U0
///     device 1 | 1F0 1B0 1F0 1B1 1U0
///                        ^^^ 1F0 runs a second time, first at position 0
std::string to_grid(std::span<const program> programs,
                    std::span<const program_fault> faults);

} // namespace actorpipe
