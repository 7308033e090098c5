// SPDX-License-Identifier: Apache-2.0
/// Whatever the order in which messages are handled, the result is the plain
/// loop's, bit for bit.
#include "tests/simulation/simulation.hpp"

namespace actorpipe::test {
namespace {

class orders_test : public ::testing::TestWithParam<arrangement> {
protected:
  std::shared_ptr<const model> source_ =
    build_model(mixed_model(), pipeline_registry());
};

TEST_P(orders_test, any_order_gives_the_plain_loops_bits) {
  const auto expected = plain_values(source_, GetParam(), 3);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    simulated_pipeline line(simulation_of(source_, GetParam(), seed));
    train_steps(line, GetParam(), 3);
    ASSERT_TRUE(same_values(*source_, line.values(), expected))
      << "order " << seed;
  }
}

TEST_P(orders_test, one_seed_gives_one_trace) {
  const auto trace_of = [&](std::uint64_t seed) {
    auto options = simulation_of(source_, GetParam(), seed);
    options.traced = true;
    simulated_pipeline line(std::move(options));
    train_steps(line, GetParam(), 2);
    return line.trace();
  };
  EXPECT_EQ(trace_of(5), trace_of(5));
  EXPECT_NE(trace_of(5), trace_of(6));
}

INSTANTIATE_TEST_SUITE_P(
  arrangements, orders_test,
  ::testing::Values(
    arrangement{1, 1, 3}, arrangement{1, 4, 7},
    arrangement{2, 1, 2, schedule_kind::fill_drain, recompute_mode::always},
    arrangement{2, 5, 7, schedule_kind::one_f_one_b},
    arrangement{3, 4, 9, schedule_kind::one_f_one_b, recompute_mode::never},
    arrangement{3, 4, 4, schedule_kind::fill_drain, recompute_mode::never, 1},
    arrangement{4, 3, 8, schedule_kind::fill_drain, recompute_mode::always},
    arrangement{4, 8, 5, schedule_kind::one_f_one_b, recompute_mode::always},
    arrangement{5, 2, 7, schedule_kind::one_f_one_b},
    arrangement{10, 6, 6, schedule_kind::fill_drain}));

} // namespace
} // namespace actorpipe::test
