// SPDX-License-Identifier: Apache-2.0
/// Medians of alternating runs.
#include "benchmarks/measure.hpp"

#include <algorithm>
#include <chrono>

namespace actorpipe::benchmarks {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const auto half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half]
                                : (values[half - 1] + values[half]) / 2;
}

double seconds_of(const std::function<void()>& work) {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  work();
  return std::chrono::duration<double>(clock::now() - start).count();
}

std::vector<double>
alternating_medians(std::size_t rounds,
                    const std::vector<std::function<void()>>& works) {
  for (const auto& work : works)
    work();
  std::vector<std::vector<double>> seconds(works.size());
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < works.size(); ++i)
      seconds[i].push_back(seconds_of(works[i]));
  std::vector<double> result;
  for (auto& one : seconds)
    result.push_back(median(std::move(one)));
  return result;
}

} // namespace actorpipe::benchmarks
