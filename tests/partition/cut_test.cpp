// SPDX-License-Identifier: Apache-2.0
/// Cuts, against known sizes and against every cut that there is.
#include "partition/cut.hpp"

#include "partition/cost.hpp"
#include "partition/cut_by_hand.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>

namespace actorpipe {
namespace {

using costs_t = std::vector<double>;
using sizes_t = std::vector<std::size_t>;

sizes_t sizes_of(const sizes_t& cut) {
  sizes_t result(cut.size());
  std::adjacent_difference(cut.begin(), cut.end(), result.begin());
  result.erase(result.begin());
  return result;
}

double largest(const costs_t& costs, const sizes_t& cut) {
  const auto cells = cell_costs(costs, cut);
  return *std::max_element(cells.begin(), cells.end());
}

double squares(const costs_t& costs, const sizes_t& cut) {
  const auto cells = cell_costs(costs, cut);
  return std::inner_product(cells.begin(), cells.end(), cells.begin(), 0.0);
}

// Calls `visit` for every cut without an empty cell, the latest first.
void for_each_cut(std::size_t layers, std::size_t cells,
                  const std::function<void(const sizes_t&)>& visit) {
  sizes_t cut{0};
  const std::function<void()> extend = [&] {
    const auto after = cells - cut.size();
    if (after == 0) {
      cut.push_back(layers);
      visit(cut);
      cut.pop_back();
      return;
    }
    for (auto end = layers - after; end > cut.back(); --end) {
      cut.push_back(end);
      extend();
      cut.pop_back();
    }
  };
  extend();
}

sizes_t brute_force(const costs_t& costs, std::size_t cells,
                    double (*badness)(const costs_t&, const sizes_t&)) {
  sizes_t best;
  auto least = std::numeric_limits<double>::infinity();
  for_each_cut(costs.size(), cells, [&](const sizes_t& cut) {
    if (badness(costs, cut) < least) {
      least = badness(costs, cut);
      best = cut;
    }
  });
  return best;
}

costs_t counting(double first, double last) {
  costs_t result;
  for (auto x = first; x != last; x += first < last ? 1 : -1)
    result.push_back(x);
  result.push_back(last);
  return result;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

struct known_cut {
  costs_t costs;
  std::uint32_t cells;
  double largest;
  sizes_t sizes; // of the best cut with the latest boundaries
};

TEST(cut, largest_cell_of_known_cases_is_least) {
  const known_cut cases[]{
    {counting(1, 6), 2, 11, {4, 2}},
    {counting(6, 1), 2, 11, {2, 4}},
    {{10, 1, 1, 1, 1, 1}, 2, 10, {1, 5}},
    {{1, 1, 1, 1, 1, 10}, 3, 10, {4, 1, 1}},
    {{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}, 4, 14, {5, 2, 3, 1}},
    {{5, 3, 8, 1, 9, 2, 7, 4}, 4, 11, {2, 2, 2, 2}},
    {counting(1, 24), 8, 45, {9, 3, 3, 2, 2, 2, 2, 1}},
  };
  for (const auto& x : cases) {
    const auto cut = make_cut(x.costs, x.cells, cut_objective::largest);
    EXPECT_EQ(largest(x.costs, cut), x.largest);
    EXPECT_EQ(sizes_of(cut), x.sizes);
  }
}

class random_cut : public ::testing::Test {
protected:
  // Small integers, so that many cuts are equally good and sums are exact.
  costs_t integers() {
    costs_t result(1 + random_() % 11);
    for (auto& x : result)
      x = static_cast<double>(random_() % 6);
    return result;
  }

  costs_t reals() {
    costs_t result(1 + random_() % 11);
    for (auto& x : result)
      x = std::uniform_real_distribution<>(0, 1)(random_);
    return result;
  }

  std::uint32_t cells_for(const costs_t& costs) {
    return static_cast<std::uint32_t>(1 + random_() % costs.size());
  }

  std::mt19937 random_{7};
};

TEST_F(random_cut, largest_is_the_best_of_all_and_the_latest) {
  for (int i = 0; i < 300; ++i)
    for (const auto& costs : {integers(), reals()}) {
      const auto cells = cells_for(costs);
      EXPECT_EQ(make_cut(costs, cells, cut_objective::largest),
                brute_force(costs, cells, largest));
    }
}

TEST_F(random_cut, variance_is_the_best_of_all_and_the_latest) {
  for (int i = 0; i < 300; ++i) {
    const auto costs = integers();
    const auto cells = cells_for(costs);
    EXPECT_EQ(make_cut(costs, cells, cut_objective::variance),
              brute_force(costs, cells, squares));
  }
}

TEST_F(random_cut, variance_of_real_costs_is_the_best_up_to_rounding) {
  for (int i = 0; i < 300; ++i) {
    const auto costs = reals();
    const auto cells = cells_for(costs);
    const auto cut = make_cut(costs, cells, cut_objective::variance);
    const auto best = squares(costs, brute_force(costs, cells, squares));
    EXPECT_LE(squares(costs, cut), best * (1 + 1e-12));
  }
}

TEST(cut, largest_is_the_best_to_the_last_bit) {
  const auto more = 1 + 4 * std::numeric_limits<double>::epsilon();
  for (double x = 1; x < 100; ++x) {
    const costs_t costs{x * more, 2 * x, x};
    EXPECT_EQ(sizes_of(make_cut(costs, 2, cut_objective::largest)),
              (sizes_t{1, 2}));
  }
}

TEST(cut, the_objectives_differ) {
  const costs_t costs{2, 2, 0, 3, 3, 4, 3, 2, 4};
  const auto even = make_cut(costs, 4, cut_objective::variance);
  const auto fast = make_cut(costs, 4, cut_objective::largest);
  EXPECT_LE(largest(costs, fast), largest(costs, even));
  EXPECT_LE(squares(costs, even), squares(costs, fast));
  EXPECT_NE(even, fast);
}

TEST(cut, layers_without_cost_leave_no_cell_empty) {
  for (const auto objective :
       {cut_objective::largest, cut_objective::variance}) {
    EXPECT_EQ(sizes_of(make_cut(costs_t(5, 0), 3, objective)),
              (sizes_t{3, 1, 1}));
    EXPECT_EQ(sizes_of(make_cut(costs_t{0, 0, 9}, 3, objective)),
              (sizes_t{1, 1, 1}));
  }
}

TEST(cut, no_layers_make_one_cell_and_no_more) {
  for (const auto objective :
       {cut_objective::largest, cut_objective::variance}) {
    EXPECT_EQ(make_cut({}, 1, objective), (sizes_t{0, 0}));
    EXPECT_THROW(make_cut({}, 2, objective), std::invalid_argument);
  }
}

TEST(cut, more_cells_than_layers_names_both_numbers) {
  const auto what = message_of([] {
    make_cut(costs_t{1, 1, 1}, 17, cut_objective::largest);
  });
  EXPECT_NE(what.find("17 cells"), what.npos) << what;
  EXPECT_NE(what.find("3 layers"), what.npos) << what;
  EXPECT_THROW(make_cut(costs_t{1}, 0, cut_objective::largest),
               std::invalid_argument);
}

TEST(cut, a_cost_that_is_no_cost_names_its_layer) {
  for (const auto bad : {-1.0, std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}) {
    const auto what = message_of([&] {
      make_cut(costs_t{1, 2, bad}, 2, cut_objective::largest);
    });
    EXPECT_NE(what.find("layer 2"), what.npos) << what;
  }
  EXPECT_THROW(make_cut(costs_t{1e308, 1e308}, 2, cut_objective::variance),
               std::invalid_argument);
}

TEST(cut, by_hand_is_taken_as_it_is) {
  EXPECT_EQ(cut_by_hand(sizes_t{3, 5, 4}, 12), (sizes_t{0, 3, 8, 12}));
  EXPECT_EQ(cut_by_hand(sizes_t{0}, 0), (sizes_t{0, 0}));
}

TEST(cut, by_hand_of_a_wrong_sum_names_both_numbers) {
  const auto what = message_of([] { cut_by_hand(sizes_t{3, 5, 4}, 13); });
  EXPECT_NE(what.find("[3, 5, 4]"), what.npos) << what;
  EXPECT_NE(what.find("12"), what.npos) << what;
  EXPECT_NE(what.find("13"), what.npos) << what;
  EXPECT_THROW(cut_by_hand({}, 0), std::invalid_argument);
}

TEST(cut, by_hand_leaves_no_cell_empty) {
  const auto what = message_of([] { cut_by_hand(sizes_t{3, 0, 4}, 7); });
  EXPECT_NE(what.find("cell 1"), what.npos) << what;
}

TEST(cost, time_counts_a_recompute_as_a_forward) {
  const layer_estimate layers[]{{2, 5, 0, 0}, {1, 3, 0, 0}};
  EXPECT_EQ(time_costs(layers, false), (costs_t{7, 4}));
  EXPECT_EQ(time_costs(layers, true), (costs_t{9, 5}));
}

TEST(cost, size_counts_copies_of_parameters_and_what_is_held_in_full) {
  const layer_estimate layers[]{{0, 0, 100, 7}, {0, 0, 0, 3}};
  EXPECT_EQ(size_costs(layers, 4, recompute_mode::never, 2), (costs_t{414, 6}));
  EXPECT_EQ(size_costs(layers, 4, recompute_mode::always, 2),
            (costs_t{407, 3}));
  EXPECT_EQ(size_costs(layers, 4, recompute_mode::except_one, 2),
            (costs_t{407, 3}));
}

TEST(cost, a_cell_costs_what_its_layers_do) {
  const layer_estimate layers[]{{1, 2, 3, 4}, {10, 20, 30, 40}};
  const auto x = cost_of_cell(layers);
  EXPECT_EQ(x.forward_s, 11);
  EXPECT_EQ(x.backward_s, 22);
  EXPECT_EQ(x.parameter_bytes, 33);
  EXPECT_EQ(x.saved_bytes, 44);
}

} // namespace
} // namespace actorpipe
