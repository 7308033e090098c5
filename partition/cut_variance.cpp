// SPDX-License-Identifier: Apache-2.0
/// The cut with the least variance of the cells' costs.
#include "partition/cut_variance.hpp"

#include <algorithm>
#include <limits>

namespace actorpipe {

namespace {

// The mean of the cells' costs is the same for every cut, so the least sum of
// squares is the least variance. Let best(k, i) be that sum for the layers
// from i on in k cells. The square of a sum of costs that are not negative is
// a Monge array, which makes the latest best end of the first cell rise with
// i: each half of a range of i has to look at one part of the ends alone.
class solver {
public:
  solver(std::span<const double> costs, std::uint32_t cells)
    : layers_(costs.size()), cells_(cells), sums_{0} {
    for (const auto cost : costs)
      sums_.push_back(sums_.back() + cost);
  }

  std::vector<std::size_t> solve() {
    const auto ends = layers_ + 1;
    std::vector<std::vector<std::uint32_t>> first_end(cells_ + 1);
    later_.resize(ends);
    for (std::size_t i = 0; i < ends; ++i)
      later_[i] = square(i, layers_);
    for (std::uint32_t k = 2; k <= cells_; ++k) {
      best_.assign(ends, std::numeric_limits<double>::infinity());
      first_end[k].resize(ends);
      end_ = &first_end[k];
      most_ = layers_ - (k - 1);
      search(0, layers_ - k, 1, most_);
      later_.swap(best_);
    }
    std::vector<std::size_t> cut{0};
    for (auto k = cells_; k >= 2; --k)
      cut.push_back(first_end[k][cut.back()]);
    cut.push_back(layers_);
    return cut;
  }

private:
  double square(std::size_t begin, std::size_t end) const {
    const auto sum = sums_[end] - sums_[begin];
    return sum * sum;
  }

  // Finds the ends for every start in [begin, end]; they are in [low, high].
  void search(std::size_t begin, std::size_t end, std::size_t low,
              std::size_t high) {
    const auto middle = begin + (end - begin) / 2;
    auto best = low;
    for (auto j = std::max(low, middle + 1); j <= high; ++j) {
      const auto sum = square(middle, j) + later_[j];
      if (sum <= best_[middle]) {
        best_[middle] = sum;
        best = j;
      }
    }
    (*end_)[middle] = static_cast<std::uint32_t>(best);
    if (middle > begin)
      search(begin, middle - 1, low, best);
    if (middle < end)
      search(middle + 1, end, best, high);
  }

  std::size_t layers_;
  std::uint32_t cells_;
  std::vector<double> sums_;  // of the costs before each layer
  std::vector<double> later_; // best(k - 1, i)
  std::vector<double> best_;  // best(k, i)
  std::size_t most_ = 0;
  std::vector<std::uint32_t>* end_ = nullptr;
};

} // namespace

std::vector<std::size_t> cut_by_variance(std::span<const double> costs,
                                         std::uint32_t cells) {
  return solver(costs, cells).solve();
}

} // namespace actorpipe
