// SPDX-License-Identifier: Apache-2.0
/// What the nodes of a run are told by its settings.
#include "actors/run/run_cluster.hpp"

#include <fmt/format.h>

#include <chrono>

namespace actorpipe {

cluster_options cluster_options_of(const cluster_config& config) {
  cluster_options result;
  result.nodes = config.nodes;
  result.placement.assign(config.placement.begin(), config.placement.end());
  result.heartbeat = std::chrono::milliseconds(config.heartbeat_ms);
  result.wait_for_node = std::chrono::seconds(config.wait_s);
  result.restart_budget = config.restart_budget;
  result.stall_after = std::chrono::seconds(config.stall_s);
  result.replicates = config.replicate;
  if (!config.tls_certificate.empty())
    result.tls =
      tls_files{config.tls_certificate, config.tls_key, config.tls_authority};
  return result;
}

std::string describe_cluster(const cluster_options& options) {
  const auto seconds = [](std::chrono::nanoseconds x) {
    return fmt::format("{} s", std::chrono::duration<double>(x).count());
  };
  return fmt::format(
    "{} node{}, {}; heartbeat every {}, a node is lost after {} of silence; a "
    "stall is reported after {} and a fault after {}; at most {} recoveries in "
    "100 steps; {} for a node with room; {}",
    options.nodes.size(), options.nodes.size() == 1 ? "" : "s",
    options.tls ? "mutual TLS" : "plain text", seconds(options.heartbeat),
    seconds(3 * options.heartbeat), seconds(options.stall_after),
    seconds(3 * options.stall_after), options.restart_budget,
    seconds(options.wait_for_node),
    options.replicates ? "each shard is replicated once" : "no replicas");
}

} // namespace actorpipe
