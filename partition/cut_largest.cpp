// SPDX-License-Identifier: Apache-2.0
/// The cut with the least largest cell.
#include "partition/cut_largest.hpp"

#include <bit>
#include <limits>

namespace actorpipe {

namespace {

// Cells filled from the left as far as `limit` allows, leaving a layer for
// each cell to come; the last one takes what is left. Rounded addition of
// costs that are not negative is monotone, so that a longer cell never costs
// less: no cut within the limit has a later first boundary, or then a later
// second one, and if the last cell exceeds the limit, so does some cell of
// every cut.
std::vector<std::size_t> fill(std::span<const double> costs,
                              std::uint32_t cells, double limit) {
  const auto layers = costs.size();
  std::vector<std::size_t> cut{0};
  std::size_t i = 0;
  for (auto after = cells - 1; after > 0; --after) {
    double sum = costs[i++];
    while (i + after < layers && sum + costs[i] <= limit)
      sum += costs[i++];
    cut.push_back(i);
  }
  cut.push_back(layers);
  return cut;
}

bool fits(std::span<const double> costs, std::uint32_t cells, double limit) {
  double sum = 0;
  for (const auto cost : costs) {
    if (cost > limit)
      return false;
    sum += cost;
    if (sum > limit) {
      if (--cells == 0)
        return false;
      sum = cost;
    }
  }
  return true;
}

} // namespace

std::vector<std::size_t> cut_by_largest(std::span<const double> costs,
                                        std::uint32_t cells) {
  // The bits of doubles that are not negative are ordered as the doubles are,
  // so that halving an interval of bits finds the least limit itself.
  std::uint64_t least = 0;
  auto enough =
    std::bit_cast<std::uint64_t>(std::numeric_limits<double>::max());
  while (least < enough) {
    const auto middle = least + (enough - least) / 2;
    if (fits(costs, cells, std::bit_cast<double>(middle)))
      enough = middle;
    else
      least = middle + 1;
  }
  return fill(costs, cells, std::bit_cast<double>(enough));
}

} // namespace actorpipe
