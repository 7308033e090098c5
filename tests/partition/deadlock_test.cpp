// SPDX-License-Identifier: Apache-2.0
/// Every schedule of every small size runs to its end.
#include "partition/check.hpp"
#include "pipelines.hpp"

#include <gtest/gtest.h>

namespace actorpipe {
namespace {

using testing::chain_of;

struct grid_point {
  std::uint32_t cells;
  std::uint32_t micro_batches;
  schedule_kind kind;
  recompute_mode mode;
};

template <class Visit>
void for_each_point(Visit visit) {
  for (std::uint32_t cells = 1; cells <= 8; ++cells)
    for (std::uint32_t m = 1; m <= 16; ++m)
      for (const auto kind : all_schedules)
        for (const auto mode : all_recompute_modes)
          visit(grid_point{cells, m, kind, mode});
}

std::string name(const grid_point& x) {
  return std::string(to_string(x.kind)) + ' ' + std::string(to_string(x.mode))
       + " K=" + std::to_string(x.cells)
       + " M=" + std::to_string(x.micro_batches);
}

bool runs(const grid_point& x, std::uint32_t credits) {
  const auto steps = testing::trained(x.cells, x.micro_batches, x.kind, x.mode);
  return check(steps, chain_of(x.cells, x.micro_batches, credits)).ok();
}

TEST(deadlock, none_with_one_credit_or_more) {
  for (std::uint32_t credits = 1; credits <= 3; ++credits)
    for_each_point([&](const grid_point& x) {
      EXPECT_TRUE(runs(x, credits)) << name(x) << " credits " << credits;
    });
}

TEST(deadlock, always_without_a_credit) {
  for_each_point(
    [](const grid_point& x) { EXPECT_FALSE(runs(x, 0)) << name(x); });
}

TEST(deadlock, none_in_evaluation) {
  for (std::uint32_t cells = 1; cells <= 8; ++cells)
    for (std::uint32_t m = 1; m <= 16; ++m) {
      auto shape = chain_of(cells, m, 1);
      shape.training = false;
      EXPECT_TRUE(
        check(make_evaluation_programs(testing::sizes(cells, m)), shape).ok());
    }
}

} // namespace
} // namespace actorpipe
