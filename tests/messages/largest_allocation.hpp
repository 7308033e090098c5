// SPDX-License-Identifier: Apache-2.0
/// The largest block that this program asked for.
#pragma once

#include <cstddef>

namespace actorpipe::test {

/// Counts from here on.
void reset_largest_allocation() noexcept;

/// Of a single call of `operator new`, in any thread.
std::size_t largest_allocation_bytes() noexcept;

} // namespace actorpipe::test
