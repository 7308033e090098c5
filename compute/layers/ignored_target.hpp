// SPDX-License-Identifier: Apache-2.0
/// The target that does not count.
#pragma once

#include <cstdint>

namespace actorpipe {

/// Stands for a target that does not count. A loss may be told another one.
inline constexpr std::int32_t ignored_target = -1;

} // namespace actorpipe
