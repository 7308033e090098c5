// SPDX-License-Identifier: Apache-2.0
/// Every number of cells with every number of micro-batches.
#include "tests/equivalence/equivalence.hpp"

namespace actorpipe::test {
namespace {

class grid_test : public equivalence,
                  public ::testing::WithParamInterface<schedule_kind> {};

TEST_P(grid_test, every_K_and_M_give_the_plain_loops_bits) {
  constexpr std::uint32_t most = is_instrumented ? 4 : 8;
  for (std::uint32_t cells = 1; cells <= most; ++cells)
    for (std::uint32_t micro_batches = 1; micro_batches <= most;
         ++micro_batches)
      expect_same(mixed_case({cells, micro_batches, 7, GetParam()}),
                  perceptron_batches, is_instrumented ? 3 : 20);
}

INSTANTIATE_TEST_SUITE_P(schedules, grid_test,
                         ::testing::Values(schedule_kind::fill_drain,
                                           schedule_kind::one_f_one_b));

} // namespace
} // namespace actorpipe::test
