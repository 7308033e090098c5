// SPDX-License-Identifier: Apache-2.0
/// Whoever is killed before the n-th message is handled, for every n until the
/// run ends untouched: the final values are the plain loop's.
#include "tests/simulation/cluster_simulation.hpp"

#include <chrono>

namespace actorpipe::test {
namespace {

using namespace std::chrono_literals;

struct victim {
  enum class kind : std::uint8_t { node, stage, parameter };
  kind what = kind::node;
  std::uint32_t index = 0;

  void strike(simulated_cluster& cluster) const {
    switch (what) {
    case kind::node:
      return cluster.kill_node(index);
    case kind::stage:
      return cluster.kill_stage(index);
    case kind::parameter:
      return cluster.kill_parameter(index);
    }
  }

  friend std::ostream& operator<<(std::ostream& out, const victim& x) {
    return out << (x.what == kind::node    ? "node "
                   : x.what == kind::stage ? "stage "
                                           : "parameter ")
               << x.index;
  }
};

class cluster_kills_test : public ::testing::TestWithParam<line_up> {
protected:
  static constexpr std::int64_t steps = 3;

  // Kills at every n that is sampled; `returns`: a node is started again.
  void survive(const victim& whom, bool returns) {
    const auto seeds = seed_range::from_environment();
    for (auto seed = seeds.first; seed <= seeds.last; ++seed) {
      const auto stride = seed_range::stride(11);
      std::uint64_t tried = 0;
      for (auto n = 1 + seed * 7 % stride;; n += stride, ++tried)
        if (!kill_at(n, whom, returns, seed))
          break;
      EXPECT_GT(tried, 2U);
      if (HasFatalFailure())
        return;
    }
  }

  // False when the run has ended before.
  bool kill_at(std::uint64_t n, const victim& whom, bool returns,
               std::uint64_t seed) {
    simulated_cluster cluster(cluster_of(source_, how_, seed * 1'000'003 + n));
    bool struck = false;
    cluster.world().at(n, [&] {
      struck = true;
      whom.strike(cluster);
      if (returns && whom.what == victim::kind::node)
        cluster.world().later(2s, [&] { cluster.start_node(whom.index); });
    });
    const auto matches = [&]() -> ::testing::AssertionResult {
      model_values values;
      if (auto through = train_through(cluster, how_.how, steps, values);
          !through)
        return through;
      return same_values(*source_, values, expected_);
    }();
    EXPECT_TRUE(matches) << whom << " killed at message " << n << ", seed "
                         << seed;
    return struck && matches;
  }

  const line_up& how_ = GetParam();
  std::shared_ptr<const model> source_ = mixed();
  model_values expected_ = plain_values(source_, how_.how, steps);
};

TEST_P(cluster_kills_test, of_any_node_with_a_spare_or_room_elsewhere) {
  for (std::uint32_t i = 0; i < how_.nodes; ++i)
    survive({victim::kind::node, i}, false);
}

TEST_P(cluster_kills_test, of_any_node_that_returns) {
  for (std::uint32_t i = 0; i < how_.nodes; ++i)
    survive({victim::kind::node, i}, true);
}

TEST_P(cluster_kills_test, of_any_stage_actor) {
  for (std::uint32_t i = 0; i < how_.how.cells; ++i)
    survive({victim::kind::stage, i}, false);
}

TEST_P(cluster_kills_test, of_any_parameter_actor) {
  for (std::uint32_t i = 0; i < how_.how.cells; ++i)
    survive({victim::kind::parameter, i}, false);
}

INSTANTIATE_TEST_SUITE_P(line_ups, cluster_kills_test,
                         ::testing::Values(line_up{{2, 2, 4}, 3},
                                           line_up{{3, 3, 5}, 2, 3}));

// With nobody to take over, the run waits for the node's return.
TEST(cluster_return_test, the_run_waits_for_a_node_that_nobody_replaces) {
  const line_up how{{2, 2, 4}, 2};
  const auto source = mixed();
  const auto expected = plain_values(source, how.how, 3);
  for (std::uint64_t n = 5; n < 400; n += seed_range::stride(13)) {
    simulated_cluster cluster(cluster_of(source, how, n));
    cluster.world().at(n, [&] {
      cluster.kill_node(1);
      cluster.world().later(20s, [&] { cluster.start_node(1); });
    });
    model_values values;
    ASSERT_TRUE(train_through(cluster, how.how, 3, values)) << n;
    ASSERT_TRUE(same_values(*source, values, expected)) << n;
  }
}

} // namespace
} // namespace actorpipe::test
