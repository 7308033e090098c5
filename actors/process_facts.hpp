// SPDX-License-Identifier: Apache-2.0
/// What a process knows of itself: the time, its host, numbers of its own.
#pragma once

#include <cstdint>
#include <string>

namespace actorpipe {

/// Of the steady clock, in nanoseconds.
std::int64_t steady_now_ns();

/// A number that nobody else has drawn; never 0.
std::uint64_t draw_id();

/// The name of this host; empty if it has none.
std::string host_name();

} // namespace actorpipe
