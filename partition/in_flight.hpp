// SPDX-License-Identifier: Apache-2.0
/// The bytes that may be on the edges of a device, action by action.
#pragma once

#include "partition/action.hpp"
#include "partition/shape.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace actorpipe {

/// Per device and position: the most bytes on the edges that count for the
/// device while that action runs, whatever the timing. See `peak_memory`. The
/// programs are valid.
std::vector<std::vector<double>>
in_flight_bytes(std::span<const program> programs, const pipeline_shape& shape);

} // namespace actorpipe
