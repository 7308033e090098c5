// SPDX-License-Identifier: Apache-2.0
/// Who runs what, and what becomes of a fault.
#include "tests/actors/cluster/supervisor_bench.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {
namespace {

using versions = std::vector<std::int64_t>;
using nodes = std::vector<std::uint32_t>;

TEST(supervisor_core, seats_stages_in_the_order_of_the_nodes) {
  supervisor_bench bench(2, 3);
  bench.begin();
  EXPECT_EQ(bench.map.node_of_stage, (nodes{0, 1}));
  EXPECT_EQ(bench.map.keeper_of_cell, (nodes{1, 2}));
  EXPECT_EQ(bench.resumes, versions{0});
  EXPECT_TRUE(bench.has_event(cluster_event::kind::formed));
  EXPECT_FALSE(bench.has_event(cluster_event::kind::fault));
}

TEST(supervisor_core, begins_without_a_spare_that_does_not_answer) {
  supervisor_bench bench(2, 3);
  bench.fakes[2].up = false;
  bench.begin();
  EXPECT_EQ(bench.resumes, versions{0});
}

TEST(supervisor_core, finds_links_at_the_hosts_of_the_nodes) {
  supervisor_bench bench(2, 2, [](supervisor_options& x) {
    x.cluster.nodes = {"[::1]:7071", "host"};
  });
  bench.begin();
  ASSERT_EQ(bench.map.links.size(), 2U);
  EXPECT_EQ(bench.map.links[0].host, "::1");
  EXPECT_EQ(bench.map.links[1].host, "host");
}

TEST(supervisor_core, awaits_a_node_that_it_needs) {
  supervisor_bench bench(2, 2);
  bench.fakes[1].up = false;
  bench.begin();
  bench.pass(8);
  EXPECT_TRUE(bench.resumes.empty());
  bench.fakes[1].up = true;
  bench.pass(4);
  EXPECT_EQ(bench.resumes, versions{0});
}

TEST(supervisor_core, gives_up_when_a_node_that_it_needs_does_not_come) {
  supervisor_bench bench(2, 2);
  bench.fakes[1].up = false;
  bench.begin();
  bench.pass(4 * 61);
  EXPECT_NE(bench.given_up.find("host1:70 refuses the connection"),
            std::string::npos)
    << bench.given_up;
}

TEST(supervisor_core, refuses_nodes_of_other_bits_with_both_values) {
  supervisor_bench bench(2, 2);
  bench.fakes[1].fingerprint = "other";
  bench.begin();
  EXPECT_NE(bench.given_up.find("host1:70 has the numerics fingerprint other, "
                                "and node host0:70 has bits"),
            std::string::npos)
    << bench.given_up;
}

TEST(supervisor_core, accepts_nodes_of_other_bits_when_told_to) {
  supervisor_bench bench(2, 2, [](supervisor_options& x) {
    x.cluster.allows_different_bits = true;
  });
  bench.fakes[1].fingerprint = "other";
  bench.begin();
  EXPECT_EQ(bench.resumes, versions{0});
}

TEST(supervisor_core, refuses_one_process_under_two_names) {
  supervisor_bench bench(2, 2);
  bench.fakes[0].incarnation = bench.fakes[1].incarnation = 5;
  bench.begin();
  EXPECT_NE(
    bench.given_up.find("node host1:70 is the same process as node host0:70"),
    std::string::npos)
    << bench.given_up;
}

TEST(supervisor_core, refuses_a_placement_that_does_not_fit) {
  supervisor_bench bench(2, 2, [](supervisor_options& x) {
    x.cluster.placement = {0, 0};
  });
  bench.begin();
  EXPECT_EQ(bench.given_up, "cluster.placement puts 2 stages on node host0:70, "
                            "which offers 1 devices");
}

TEST(supervisor_core, refuses_nodes_with_other_layers) {
  supervisor_bench bench(2, 2);
  bench.fakes[0].registry = "more layers";
  bench.begin();
  EXPECT_NE(bench.given_up.find("layer registry more layers"),
            std::string::npos);
}

TEST(supervisor_core, a_spare_takes_the_place_of_a_node_that_is_killed) {
  supervisor_bench bench(2, 3);
  bench.begin();
  bench.commit(5);
  bench.kill(1);
  EXPECT_EQ(bench.map.node_of_stage, (nodes{0, 2}));
  EXPECT_EQ(bench.map.source_of_cell, (nodes{no_node, 2}));
  EXPECT_EQ(bench.resumes, (versions{0, 5}));
  EXPECT_EQ(bench.halts, 2);
  EXPECT_TRUE(bench.has_event(cluster_event::kind::recovered));
}

TEST(supervisor_core, goes_back_to_the_version_that_the_replica_has) {
  supervisor_bench bench(2, 3);
  bench.begin();
  bench.commit(5);
  bench.fakes[2].replicas[1] = {4, 3};
  bench.kill(1);
  EXPECT_EQ(bench.resumes, (versions{0, 4}));
}

TEST(supervisor_core, two_losses_at_once_can_lose_everything) {
  supervisor_bench bench(2, 4);
  bench.begin();
  bench.commit(5);
  // Node 1 has stage 1, node 2 its replica.
  bench.fakes[2].up = false;
  bench.fakes[2].session = 0;
  bench.kill(1);
  bench.pass(12);
  EXPECT_EQ(bench.map.node_of_stage, (nodes{0, 3}));
  EXPECT_EQ(bench.resumes.back(), 0);
}

TEST(supervisor_core, a_silent_node_is_lost_within_three_heartbeats) {
  supervisor_bench bench(2, 3);
  bench.begin();
  bench.pass(5);
  bench.commit(1);
  bench.fakes[1].up = false;
  bench.pass(12);
  EXPECT_EQ(bench.map.node_of_stage, (nodes{0, 2}));
}

TEST(supervisor_core, a_node_that_answers_is_not_lost) {
  supervisor_bench bench(2, 3);
  bench.begin();
  bench.pass(100);
  EXPECT_EQ(bench.halts, 1);
}

TEST(supervisor_core, waits_for_a_node_when_there_is_no_room) {
  supervisor_bench bench(2, 2);
  bench.begin();
  bench.commit(3);
  bench.kill(1);
  EXPECT_TRUE(bench.has_event(cluster_event::kind::waiting));
  bench.pass(20);
  EXPECT_EQ(bench.resumes.size(), 1U);
  bench.fakes[1].up = true;
  bench.pass(8);
  EXPECT_EQ(bench.resumes, (versions{0, 3}));
  EXPECT_EQ(bench.map.node_of_stage, (nodes{0, 1}));
  EXPECT_EQ(bench.map.source_of_cell, (nodes{no_node, 0}));
}

TEST(supervisor_core, waits_no_longer_than_it_is_told_to) {
  supervisor_bench bench(2, 2);
  bench.begin();
  bench.kill(1);
  bench.pass(4 * 61);
  EXPECT_NE(bench.given_up.find("no node with room came back in time"),
            std::string::npos);
}

TEST(supervisor_core, an_actor_that_is_gone_is_spawned_again) {
  supervisor_bench bench(2, 2);
  bench.begin();
  bench.commit(3);
  bench.fakes[1].own.clear();
  bench.core().accept(trouble{9, bench.fakes[1].session, bench.attempt, 1,
                              "parameter 1 has gone: it threw"});
  bench.settle();
  EXPECT_EQ(bench.map.node_of_stage, (nodes{0, 1}));
  EXPECT_EQ(bench.map.source_of_cell, (nodes{no_node, 0}));
  EXPECT_EQ(bench.resumes, (versions{0, 3}));
}

TEST(supervisor_core, a_link_of_the_trainer_that_breaks_is_a_fault) {
  supervisor_bench bench(2, 2);
  bench.begin();
  bench.core().accept(
    trouble{0, 0, bench.attempt, trainer_process, "a link has broken"});
  bench.settle();
  ASSERT_TRUE(bench.has_event(cluster_event::kind::fault));
  EXPECT_EQ(std::ranges::find(bench.events, cluster_event::kind::fault,
                              &cluster_event::what)
              ->text,
            "the trainer: a link has broken");
  EXPECT_EQ(bench.resumes, (versions{0, 0}));
}

// Its versions were listed and are gone.
TEST(supervisor_core, an_actor_that_goes_during_a_recovery_begins_another) {
  supervisor_bench bench(2, 3);
  bench.begin();
  bench.commit(3);
  bench.loses = [](const std::string& what) { return what == "hosted"; };
  bench.kill(1);
  ASSERT_EQ(bench.halts, 2);
  bench.core().accept(trouble{9, bench.fakes[0].session, bench.attempt, 0,
                              "parameter 0 has gone: it threw"});
  bench.loses = {};
  bench.settle();
  bench.pass(5);
  EXPECT_EQ(bench.halts, 3);
  EXPECT_EQ(bench.resumes, (versions{0, 3}));
}

TEST(supervisor_core, a_recovery_that_does_not_end_is_a_fault) {
  for (const std::string name : {"inventory", "hosted", "linked", "resumed"}) {
    supervisor_bench bench(2, 3);
    bench.begin();
    bench.commit(3);
    bench.loses = [&](const std::string& what) { return what == name; };
    bench.kill(1);
    const auto is_told = [&] {
      return std::ranges::any_of(bench.events, [](const auto& x) {
        return x.text.find("no end of ") != x.text.npos;
      });
    };
    bench.pass(4 * 59);
    EXPECT_FALSE(is_told()) << name;
    bench.pass(4 * 2);
    EXPECT_TRUE(is_told()) << name;
    bench.loses = {};
    bench.pass(4 * 8);
    EXPECT_GT(bench.resumes.size(), 1U) << name;
  }
}

TEST(supervisor_core, what_is_late_starts_no_attempt) {
  supervisor_bench bench(2, 2);
  bench.begin();
  bench.core().accept(trouble{9, bench.fakes[1].session, bench.attempt - 1, 1,
                              "an old link has broken"});
  bench.core().accept(trouble{9, bench.fakes[1].session + 1, bench.attempt, 1,
                              "another session"});
  bench.core().accept(
    trouble{8, bench.fakes[1].session, bench.attempt, 1, "another run"});
  bench.settle();
  EXPECT_EQ(bench.halts, 1);
}

TEST(supervisor_core, a_fault_during_a_recovery_begins_another) {
  supervisor_bench bench(2, 4);
  bench.begin();
  bench.commit(5);
  bench.fakes[0].link_failure = "host2:70 cannot be reached";
  bench.kill(1);
  EXPECT_EQ(bench.resumes.size(), 1U);
  bench.pass(5);
  EXPECT_EQ(bench.resumes, (versions{0, 5}));
  EXPECT_EQ(bench.halts, 3);
}

TEST(supervisor_core, who_joins_during_a_recovery_does_not_hold_it_up) {
  supervisor_bench bench(2, 4);
  bench.fakes[3].up = false;
  bench.begin();
  bench.pass(1);
  ASSERT_EQ(bench.resumes, versions{0});
  bench.commit(5);
  bench.loses = [](const std::string& what) { return what == "hosted"; };
  bench.kill(1);
  bench.fakes[3].up = true;
  bench.pass(8);
  ASSERT_EQ(bench.core().view().nodes[3].state, "spare");
  bench.loses = {};
  bench.pass(8);
  EXPECT_EQ(bench.resumes, (versions{0, 5}));
}

TEST(supervisor_core, who_joins_during_a_recovery_keeps_what_nobody_could) {
  supervisor_bench bench(1, 3);
  bench.fakes[2].up = false;
  bench.begin();
  bench.pass(1);
  bench.commit(4);
  ASSERT_EQ(bench.map.keeper_of_cell, nodes{1});
  bench.loses = [](const std::string& what) { return what == "hosted"; };
  bench.kill(1);
  bench.fakes[2].up = true;
  bench.pass(8);
  bench.loses = {};
  bench.pass(8);
  EXPECT_EQ(bench.map.keeper_of_cell, nodes{2});
}

TEST(supervisor_core, a_spare_that_dies_stops_nothing) {
  supervisor_bench bench(1, 3);
  bench.begin();
  ASSERT_EQ(bench.map.keeper_of_cell, nodes{1});
  bench.kill(2);
  EXPECT_EQ(bench.halts, 1);
}

TEST(supervisor_core, a_keeper_that_dies_is_replaced) {
  supervisor_bench bench(1, 3);
  bench.begin();
  bench.commit(4);
  bench.kill(1);
  EXPECT_EQ(bench.map.keeper_of_cell, nodes{2});
  EXPECT_EQ(bench.resumes, (versions{0, 4}));
}

TEST(supervisor_core, a_node_that_returns_keeps_what_nobody_could) {
  supervisor_bench bench(1, 2);
  bench.begin();
  bench.commit(4);
  bench.kill(1);
  ASSERT_EQ(bench.map.keeper_of_cell, nodes{no_node});
  bench.fakes[1].up = true;
  bench.pass(8);
  EXPECT_EQ(bench.map.keeper_of_cell, nodes{1});
  EXPECT_EQ(bench.core().view().recoveries, 1U);
}

TEST(supervisor_core, every_message_that_is_lost_once_is_sent_again) {
  for (const std::string name :
       {"join", "joined", "ping", "pong", "take_inventory", "inventory", "host",
        "hosted", "open_links", "linked", "halt", "halted", "resume",
        "resumed"}) {
    supervisor_bench bench(2, 3);
    bool is_lost = false;
    bench.loses = [&](const std::string& what) {
      return what == name && !std::exchange(is_lost, true);
    };
    bench.begin();
    bench.pass(8);
    EXPECT_EQ(bench.resumes, versions{0}) << name;
    EXPECT_EQ(bench.halts, 1) << name;
    EXPECT_FALSE(bench.has_event(cluster_event::kind::fault)) << name;
  }
}

TEST(supervisor_core, a_crash_loop_ends_with_what_happened) {
  supervisor_bench bench(
    2, 2, [](supervisor_options& x) { x.cluster.restart_budget = 3; });
  bench.begin();
  for (int i = 0; i < 4; ++i) {
    bench.commit(bench.committed + 1);
    bench.core().accept(trouble{9, bench.fakes[1].session, bench.attempt, 1,
                                "stage 1 has gone: it threw"});
    bench.settle();
    bench.pass(8);
  }
  EXPECT_NE(
    bench.given_up.find(
      "4 failures within 100 steps, and cluster.restart_budget allows 3"),
    std::string::npos)
    << bench.given_up;
  EXPECT_NE(bench.given_up.find("stage 1 has gone: it threw"),
            std::string::npos);
}

TEST(supervisor_core, faults_that_are_far_apart_are_survived_for_ever) {
  supervisor_bench bench(
    2, 2, [](supervisor_options& x) { x.cluster.restart_budget = 3; });
  bench.begin();
  for (int i = 0; i < 20; ++i) {
    bench.commit(bench.committed + 50);
    bench.core().accept(trouble{9, bench.fakes[1].session, bench.attempt, 1,
                                "stage 1 has gone: it threw"});
    bench.settle();
    bench.pass(8);
  }
  EXPECT_EQ(bench.given_up, "");
  EXPECT_EQ(bench.resumes.size(), 21U);
}

TEST(supervisor_core, frees_the_nodes_at_the_end) {
  supervisor_bench bench(2, 2);
  bench.begin();
  bench.core().end();
  bench.settle();
  EXPECT_EQ(bench.fakes[0].session, 0U);
  EXPECT_EQ(bench.fakes[1].session, 0U);
}

} // namespace
} // namespace actorpipe::test
