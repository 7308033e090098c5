// SPDX-License-Identifier: Apache-2.0
/// Few cases in which every two values of two factors meet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace actorpipe::test {

/// Cases for factors with `levels[i]` values each: a case has one value, below
/// its number of levels, per factor. Every pair of values of two factors is in
/// a case. The same for the same arguments; another seed gives other cases.
/// Greedy: of some random cases that hold a pair not yet met, the one that
/// holds the most (Cohen et al. 1997, "The AETG system").
inline std::vector<std::vector<std::size_t>>
covering_design(const std::vector<std::size_t>& levels,
                std::uint64_t seed = 1) {
  using pair = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;
  std::set<pair> open;
  for (std::size_t i = 0; i < levels.size(); ++i)
    for (std::size_t j = i + 1; j < levels.size(); ++j)
      for (std::size_t a = 0; a < levels[i]; ++a)
        for (std::size_t b = 0; b < levels[j]; ++b)
          open.emplace(i, j, a, b);
  const auto pairs_of = [&](const std::vector<std::size_t>& one) {
    std::vector<pair> result;
    for (std::size_t i = 0; i < one.size(); ++i)
      for (std::size_t j = i + 1; j < one.size(); ++j)
        if (const pair x{i, j, one[i], one[j]}; open.contains(x))
          result.push_back(x);
    return result;
  };
  std::mt19937_64 draw(seed);
  std::vector<std::vector<std::size_t>> cases;
  while (!open.empty()) {
    std::vector<std::size_t> best;
    std::vector<pair> best_pairs;
    for (int candidate = 0; candidate < 50; ++candidate) {
      auto from = open.begin();
      std::advance(from, static_cast<std::ptrdiff_t>(draw() % open.size()));
      std::vector<std::size_t> one;
      for (const auto count : levels)
        one.push_back(draw() % count);
      const auto& [i, j, a, b] = *from;
      one[i] = a;
      one[j] = b;
      if (auto found = pairs_of(one); found.size() > best_pairs.size()) {
        best = one;
        best_pairs = std::move(found);
      }
    }
    for (const auto& x : best_pairs)
      open.erase(x);
    cases.push_back(best);
  }
  return cases;
}

} // namespace actorpipe::test
