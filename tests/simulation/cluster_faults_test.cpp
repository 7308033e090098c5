// SPDX-License-Identifier: Apache-2.0
/// Several faults, networks that are cut and heal, and faults at moments when
/// nobody expects one.
#include "tests/simulation/cluster_simulation.hpp"

#include <chrono>
#include <random>

namespace actorpipe::test {
namespace {

using namespace std::chrono_literals;

class cluster_faults_test : public ::testing::TestWithParam<line_up> {
protected:
  static constexpr std::int64_t steps = 3;

  // Runs the cluster after `prepare` has seen it; what goes wrong is told with
  // the seed.
  void survive(
    std::uint64_t seed, const std::function<void(simulated_cluster&)>& prepare,
    const std::function<void(cluster_simulation_options&)>& change = [](auto&) {
    }) {
    auto options = cluster_of(source_, how_, seed);
    change(options);
    simulated_cluster cluster(std::move(options));
    prepare(cluster);
    model_values values;
    ASSERT_TRUE(train_through(cluster, how_.how, steps, values))
      << "seed " << seed;
    ASSERT_TRUE(same_values(*source_, values, expected_)) << "seed " << seed;
  }

  // The seeds of this run: more of them in a campaign.
  static std::uint64_t count(std::uint64_t otherwise) {
    const auto seeds = seed_range::from_environment();
    return otherwise * (1 + seeds.last - seeds.first);
  }

  std::uint32_t any_node(std::mt19937_64& draw) const {
    return static_cast<std::uint32_t>(draw() % how_.nodes);
  }

  // One of everything that can go wrong, with its remedy.
  void strike(simulated_cluster& cluster, std::mt19937_64& draw) const {
    const auto node = any_node(draw);
    const auto cell = static_cast<std::uint32_t>(draw() % how_.how.cells);
    switch (draw() % 4) {
    case 0:
      cluster.kill_node(node);
      cluster.world().later(1s, [&cluster, node] { cluster.start_node(node); });
      break;
    case 1:
      return cluster.kill_stage(cell);
    case 2:
      return cluster.kill_parameter(cell);
    default:
      cluster.cut_off(node);
      cluster.world().later(std::chrono::milliseconds(draw() % 20000),
                            [&cluster, node] { cluster.reconnect(node); });
    }
  }

  const line_up& how_ = GetParam();
  std::shared_ptr<const model> source_ = mixed();
  model_values expected_ = plain_values(source_, how_.how, steps);
};

TEST_P(cluster_faults_test, a_cut_that_heals_soon_or_late_does_no_harm) {
  for (std::uint64_t seed = 1; seed <= count(60); ++seed) {
    std::mt19937_64 draw(seed);
    const auto node = any_node(draw);
    const auto healing = std::chrono::milliseconds(draw() % 30000);
    survive(seed, [&](simulated_cluster& cluster) {
      cluster.world().at(1 + draw() % 700, [&cluster, node, healing] {
        cluster.cut_off(node);
        cluster.world().later(healing,
                              [&cluster, node] { cluster.reconnect(node); });
      });
    });
  }
}

TEST_P(cluster_faults_test, a_cut_between_two_nodes_alone_is_survived) {
  for (std::uint64_t seed = 1; seed <= count(30); ++seed)
    survive(seed, [&](simulated_cluster& cluster) {
      cluster.world().at(1 + seed * 53 % 700, [&cluster] {
        cluster.cut(0, 1);
        cluster.world().later(10s, [&cluster] { cluster.heal(0, 1); });
      });
    });
}

// The half without the trainer cannot commit, and the other half does not
// count on it.
TEST_P(cluster_faults_test, halves_of_a_network_go_on_as_one) {
  for (std::uint64_t seed = 1; seed <= count(30); ++seed) {
    std::mt19937_64 draw(seed);
    const auto half = 1 + draw() % ((1U << how_.nodes) - 1);
    const auto healing = std::chrono::milliseconds(draw() % 30000);
    const auto across = [this, half](const auto& change) {
      for (std::uint32_t i = 0; i < how_.nodes; ++i) {
        if ((half >> i & 1) == 0)
          continue;
        change(i, trainer_process);
        for (std::uint32_t j = 0; j < how_.nodes; ++j)
          if ((half >> j & 1) == 0)
            change(i, j);
      }
    };
    survive(seed, [&](simulated_cluster& cluster) {
      cluster.world().at(1 + draw() % 700, [&cluster, across, healing] {
        across([&](auto a, auto b) { cluster.cut(a, b); });
        cluster.world().later(healing, [&cluster, across] {
          across([&](auto a, auto b) { cluster.heal(a, b); });
        });
      });
    });
  }
}

TEST_P(cluster_faults_test, a_trainer_that_is_cut_off_commits_nothing) {
  for (std::uint64_t seed = 1; seed <= count(10); ++seed) {
    simulated_cluster cluster(cluster_of(source_, how_, seed));
    bool is_cut = false;
    std::int64_t meanwhile = 0;
    cluster.world().at(1 + seed * 61 % 600, [&] {
      cluster.cut_off(trainer_process);
      is_cut = true;
      cluster.world().later(20s, [&] {
        is_cut = false;
        cluster.reconnect(trainer_process);
      });
    });
    model_values values;
    ASSERT_TRUE(train_through(cluster, how_.how, steps, values,
                              [&] { meanwhile += is_cut ? 1 : 0; }))
      << seed;
    // What had come before the cut may have been the last word of a step.
    EXPECT_LE(meanwhile, 1) << seed;
    ASSERT_TRUE(same_values(*source_, values, expected_)) << seed;
  }
}

TEST_P(cluster_faults_test, two_at_once_are_survived) {
  for (std::uint64_t seed = 1; seed <= count(150); ++seed) {
    std::mt19937_64 draw(seed);
    const auto n = 1 + draw() % 700;
    survive(seed, [&](simulated_cluster& cluster) {
      for (int i = 0; i < 2; ++i)
        cluster.world().at(n, [&] { strike(cluster, draw); });
    });
  }
}

TEST_P(cluster_faults_test, any_number_at_any_time_is_survived) {
  for (std::uint64_t seed = 1; seed <= count(60); ++seed) {
    std::mt19937_64 draw(seed);
    survive(
      seed,
      [&](simulated_cluster& cluster) {
        for (int i = 0; i < 6; ++i)
          cluster.world().at(1 + draw() % 3000, [&] { strike(cluster, draw); });
      },
      [](auto& options) { options.loss = 0.02; });
  }
}

TEST_P(cluster_faults_test, another_one_while_recovering_is_survived) {
  // The first strikes amid step 1.
  for (std::uint64_t m = 1; m < 400; m += seed_range::stride(5)) {
    std::mt19937_64 draw(m);
    survive(m, [&](simulated_cluster& cluster) {
      cluster.world().at(350, [&, m] {
        cluster.kill_node(0);
        cluster.world().later(1s, [&cluster] { cluster.start_node(0); });
        cluster.world().at(m, [&] { strike(cluster, draw); });
      });
    });
  }
}

TEST_P(cluster_faults_test, one_while_values_are_collected_is_survived) {
  for (std::uint64_t m = 1; m < 60; m += seed_range::stride(2)) {
    std::mt19937_64 draw(m);
    simulated_cluster cluster(cluster_of(source_, how_, m));
    model_values values;
    ASSERT_TRUE(train_through(cluster, how_.how, steps, values));
    cluster.world().at(m, [&] { strike(cluster, draw); });
    auto outcome = cluster.values();
    ASSERT_TRUE(outcome) << m;
    if (!outcome->ok) {
      ASSERT_EQ(outcome->failure.code, error_code::rolled_back) << m;
      ASSERT_EQ(outcome->failure.version, steps) << m;
      outcome = cluster.values();
    }
    ASSERT_TRUE(outcome && outcome->ok) << m;
    ASSERT_TRUE(same_values(*source_, outcome->all, expected_)) << m;
  }
}

TEST_P(cluster_faults_test, time_that_passes_meanwhile_does_no_harm) {
  for (std::uint64_t seed = 1; seed <= count(60); ++seed) {
    std::mt19937_64 draw(seed);
    survive(
      seed,
      [&](simulated_cluster& cluster) {
        cluster.world().at(1 + draw() % 700, [&] { strike(cluster, draw); });
      },
      [](auto& options) { options.world.haste = 20; });
  }
}

INSTANTIATE_TEST_SUITE_P(
  line_ups, cluster_faults_test,
  ::testing::Values(line_up{{2, 2, 4}, 3}, line_up{{3, 3, 5}, 3, 2},
                    line_up{{2, 3, 7, schedule_kind::one_f_one_b}, 2, 2}));

} // namespace
} // namespace actorpipe::test
