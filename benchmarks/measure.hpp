// SPDX-License-Identifier: Apache-2.0
/// Medians of alternating runs.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace actorpipe::benchmarks {

/// The middle value, or the mean of the two in the middle. Requires one.
double median(std::vector<double> values);

/// How long `work` takes by the wall clock.
double seconds_of(const std::function<void()>& work);

/// Runs every work once to warm up, then all of them in turn, `rounds` times,
/// so that whatever disturbs the machine meets all alike. Returns the median
/// of each, in seconds.
std::vector<double>
alternating_medians(std::size_t rounds,
                    const std::vector<std::function<void()>>& works);

} // namespace actorpipe::benchmarks
