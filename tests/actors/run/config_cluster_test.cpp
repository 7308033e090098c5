// SPDX-License-Identifier: Apache-2.0
/// `[cluster]` of a run file.
#include "actors/run/run_cluster.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace actorpipe {

namespace {

using strings = std::vector<std::string>;

std::string problem(const strings& overrides) {
  try {
    parse_config("", "run.toml", overrides);
  } catch (const config_error& error) {
    return error.what();
  }
  return "no problem";
}

TEST(cluster_settings, make_the_options_of_a_run_on_nodes) {
  using namespace std::chrono_literals;
  const auto config = parse_config(R"(
    [cluster]
    nodes = ["a:7070", "[::1]:8080", "c"]
    placement = [2, 0]
    heartbeat_ms = 250
    wait_s = 5
    restart_budget = 3
    stall_s = 20
    replicate = false
    tls_certificate = "me.pem"
    tls_key = "key.pem"
    tls_authority = "ca.pem"
  )",
                                   "run.toml");
  const auto options = cluster_options_of(config.cluster);
  EXPECT_EQ(options.nodes, (strings{"a:7070", "[::1]:8080", "c"}));
  EXPECT_EQ(options.placement, (std::vector<std::uint32_t>{2, 0}));
  EXPECT_EQ(options.heartbeat, 250ms);
  EXPECT_EQ(options.wait_for_node, 5s);
  EXPECT_EQ(options.restart_budget, 3);
  EXPECT_EQ(options.stall_after, 20s);
  EXPECT_FALSE(options.replicates);
  EXPECT_EQ(options.tls, (tls_files{"me.pem", "key.pem", "ca.pem"}));
  EXPECT_EQ(to_toml(parse_config(to_toml(config), "again.toml")),
            to_toml(config));
}

TEST(cluster_settings, have_the_defaults_of_the_options) {
  const auto options = cluster_options_of({});
  const cluster_options expected;
  EXPECT_TRUE(options.nodes.empty());
  EXPECT_EQ(options.heartbeat, expected.heartbeat);
  EXPECT_EQ(options.wait_for_node, expected.wait_for_node);
  EXPECT_EQ(options.restart_budget, expected.restart_budget);
  EXPECT_EQ(options.stall_after, expected.stall_after);
  EXPECT_EQ(options.replicates, expected.replicates);
  EXPECT_FALSE(options.tls);
}

TEST(cluster_settings, are_described_with_what_follows_from_them) {
  cluster_options options;
  options.nodes = {"a:1", "b:1"};
  options.heartbeat = std::chrono::milliseconds(200);
  const auto text = describe_cluster(options);
  for (const auto* part : {"2 nodes, plain text", "heartbeat every 0.2 s",
                           "lost after 0.6 s of silence",
                           "reported after 10 s and a fault after "
                           "30 s"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

TEST(cluster_settings, refuse_nodes_that_are_no_addresses) {
  for (const auto* nodes :
       {"3", "\"a:7070\"", "[3]", "[\"\"]", "[\"a:\"]", "[\"a:0\"]",
        "[\"a:99999\"]", "[\"a:7070\", \"b:x\"]"})
    EXPECT_NE(problem({std::string("cluster.nodes=") + nodes})
                .find("cluster.nodes must be a list of \"HOST:PORT\", got "),
              std::string::npos)
      << nodes << ": " << problem({std::string("cluster.nodes=") + nodes});
}

TEST(cluster_settings, refuse_a_placement_that_does_not_fit) {
  EXPECT_EQ(problem({"cluster.nodes=[\"a:1\"]", "cluster.placement=[0]"}),
            "--set cluster.placement=[0]: cluster.placement must name a node "
            "for every one of the 2 stages, got 1");
  EXPECT_EQ(problem({"cluster.nodes=[\"a:1\"]", "cluster.placement=[0, 1]"}),
            "--set cluster.placement=[0, 1]: cluster.placement must name nodes "
            "by their place in cluster.nodes, which lists 1, got 1");
  EXPECT_EQ(problem({"cluster.placement=[0, -1]"}),
            "--set cluster.placement=[0, -1]: cluster.placement must be a list "
            "of integers of at least 0, got -1");
}

TEST(cluster_settings, refuse_numbers_out_of_range) {
  for (const auto* wrong :
       {"heartbeat_ms=0", "wait_s=-1", "restart_budget=-1", "stall_s=0"})
    EXPECT_NE(
      problem({std::string("cluster.") + wrong}).find("an integer from"),
      std::string::npos)
      << wrong;
}

TEST(cluster_settings, refuse_a_certificate_without_its_key) {
  EXPECT_EQ(
    problem({"cluster.tls_certificate=a.pem", "cluster.tls_authority=b.pem"}),
    "--set cluster.tls_certificate=a.pem: cluster.tls_certificate must "
    "be given together with cluster.tls_key and cluster.tls_authority, "
    "or none of the three");
}

} // namespace

} // namespace actorpipe
