// SPDX-License-Identifier: Apache-2.0
/// The rules of a file of faults do in a simulated cluster what they say, and
/// the values are the plain loop's.
#include "tests/simulation/cluster_simulation.hpp"

#include <algorithm>

namespace actorpipe::test {
namespace {

class cluster_rules_test : public ::testing::Test {
protected:
  static constexpr std::int64_t steps = 4;

  // Runs under these rules; what people were told and what was written down.
  void run(const std::string& rules, std::uint64_t seed = 1) {
    auto options = cluster_of(source_, how_, seed);
    options.cluster.faults = rules;
    options.world.traced = true;
    simulated_cluster cluster(std::move(options));
    model_values values;
    const auto through = train_through(cluster, how_.how, steps, values);
    ASSERT_TRUE(through);
    ASSERT_TRUE(
      same_values(*source_, values, plain_values(source_, how_.how, steps)));
    if (std::getenv("ACTORPIPE_TRACE") != nullptr)
      std::cout << story_of(cluster) << '\n';
    recoveries_ = cluster.view().recoveries;
    trace_ = cluster.world().trace();
  }

  std::int64_t count(const std::string& text) const {
    return std::ranges::count_if(
      trace_, [&](const auto& x) { return x.find(text) != x.npos; });
  }

  const line_up how_{{3, 3, 5}, 4};
  std::shared_ptr<const model> source_ = mixed();
  std::uint32_t recoveries_ = 0;
  std::vector<std::string> trace_;
};

TEST_F(cluster_rules_test, a_node_is_killed_once) {
  run("[[fault]]\ndo = \"kill\"\nnode = 1\nstep = 2\nafter = \"1F1\"\n");
  EXPECT_EQ(recoveries_, 1U);
  EXPECT_EQ(count("on purpose: kill node 1 at step 2 after 1F1"), 1);
}

TEST_F(cluster_rules_test, a_step_is_met_as_often_as_its_rule_says) {
  run("[[fault]]\ndo = \"kill\"\nstage = 1\nstep = 2\ntimes = 3\n");
  EXPECT_EQ(recoveries_, 3U);
  EXPECT_EQ(count("on purpose: kill stage 1 at step 2, 3 times"), 3);
}

TEST_F(cluster_rules_test, the_second_fault_meets_the_second_try) {
  run("[[fault]]\ndo = \"kill\"\nnode = 0\nstep = 1\n"
      "[[fault]]\ndo = \"kill\"\nparameter = 2\nstep = 1\ntry = 2\n");
  EXPECT_EQ(recoveries_, 2U);
}

TEST_F(cluster_rules_test, a_flipped_bit_breaks_the_link_and_nothing_else) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    run("seed = " + std::to_string(seed)
          + "\n[[fault]]\ndo = \"flip_bit\"\nbetween = [0, 1]\nframe = "
          + std::to_string(seed) + "\n",
        seed);
    EXPECT_EQ(count("flip a bit in frame"), 1) << seed;
    EXPECT_EQ(recoveries_, 1U) << seed;
  }
}

TEST_F(cluster_rules_test, slow_links_cost_time_alone) {
  run("[[fault]]\ndo = \"delay_link\"\nbetween = [0, 1]\nmean_ms = 20\n"
      "jitter_ms = 10\n[[fault]]\ndo = \"delay_link\"\n"
      "between = [\"trainer\", 2]\nmean_ms = 5\n");
  EXPECT_EQ(recoveries_, 0U);
}

TEST_F(cluster_rules_test, a_node_that_is_cut_from_the_trainer_is_replaced) {
  run("[[fault]]\ndo = \"cut_link\"\nbetween = [\"trainer\", 1]\nstep = 1\n"
      "for_ms = 60000\n");
  EXPECT_GE(recoveries_, 1U);
  EXPECT_GE(count("is silent for"), 1);
}

TEST_F(cluster_rules_test, lost_control_messages_cost_no_attempt) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    run("seed = " + std::to_string(seed)
          + "\n[[fault]]\ndo = \"drop_control\"\nprobability = 0.05\n",
        seed);
    EXPECT_EQ(recoveries_, 0U) << seed;
  }
}

TEST_F(cluster_rules_test, a_stage_that_does_not_return_is_replaced) {
  run("[[fault]]\ndo = \"stall\"\nstage = 1\nstep = 1\nbefore = \"1B0\"\n"
      "for_ms = 600000\n");
  EXPECT_EQ(recoveries_, 1U);
  EXPECT_GE(count("does not return from"), 1);
}

TEST_F(cluster_rules_test, a_layer_that_throws_fails_its_step_by_name) {
  auto options = cluster_of(source_, how_);
  options.cluster.faults = "[[fault]]\ndo = \"throw\"\nlayer = 5\nstep = 0\n";
  simulated_cluster cluster(std::move(options));
  ASSERT_TRUE(cluster.values()); // once it is formed
  const auto outcome =
    cluster.train(data_of(0, how_.how.samples), request_of(0));
  ASSERT_TRUE(outcome && !outcome->ok);
  EXPECT_EQ(outcome->failure.code, error_code::layer_failed);
  EXPECT_NE(
    outcome->failure.text.find("fault on purpose: throw in layer 5 at step 0"),
    std::string::npos)
    << outcome->failure.text;
  model_values values;
  ASSERT_TRUE(train_through(cluster, how_.how, steps, values));
  EXPECT_TRUE(
    same_values(*source_, values, plain_values(source_, how_.how, steps)));
}

} // namespace
} // namespace actorpipe::test
