// SPDX-License-Identifier: Apache-2.0
/// The version of everything that processes say to each other.
#pragma once

#include <cstdint>

namespace actorpipe {

/// Raised whenever a message or a frame changes.
inline constexpr std::uint32_t protocol_version = 1;

} // namespace actorpipe
