// SPDX-License-Identifier: Apache-2.0
/// A cluster in which nothing goes wrong is the plain loop.
#include "tests/simulation/cluster_simulation.hpp"

namespace actorpipe::test {
namespace {

class cluster_runs_test : public ::testing::TestWithParam<line_up> {
protected:
  const line_up& how_ = GetParam();
  std::shared_ptr<const model> source_ = mixed();
};

TEST_P(cluster_runs_test, gives_the_bits_of_the_plain_loop) {
  const auto expected = plain_values(source_, how_.how, 3);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    simulated_cluster cluster(cluster_of(source_, how_, seed));
    model_values values;
    ASSERT_TRUE(train_through(cluster, how_.how, 3, values)) << seed;
    ASSERT_TRUE(same_values(*source_, values, expected)) << seed;
    EXPECT_EQ(cluster.view().recoveries, 0U);
  }
}

TEST_P(cluster_runs_test, has_one_trace_a_seed) {
  const auto trace_of = [&](std::uint64_t seed) {
    auto options = cluster_of(source_, how_, seed);
    options.world.traced = true;
    options.loss = 0.05;
    simulated_cluster cluster(std::move(options));
    model_values values;
    EXPECT_TRUE(train_through(cluster, how_.how, 2, values));
    return cluster.world().trace();
  };
  const auto trace = trace_of(3);
  EXPECT_GT(trace.size(), 100U);
  EXPECT_EQ(trace_of(3), trace);
  EXPECT_NE(trace_of(4), trace);
}

TEST_P(cluster_runs_test, lost_control_messages_cost_no_attempt) {
  const auto expected = plain_values(source_, how_.how, 3);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto options = cluster_of(source_, how_, seed);
    options.loss = 0.05;
    simulated_cluster cluster(std::move(options));
    model_values values;
    ASSERT_TRUE(train_through(cluster, how_.how, 3, values)) << seed;
    ASSERT_TRUE(same_values(*source_, values, expected)) << seed;
    EXPECT_EQ(cluster.view().recoveries, 0U) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
  line_ups, cluster_runs_test,
  ::testing::Values(line_up{{2, 2, 4}, 2}, line_up{{2, 3, 7}, 1, 2},
                    line_up{{3, 4, 7, schedule_kind::one_f_one_b}, 4}));

} // namespace
} // namespace actorpipe::test
