// SPDX-License-Identifier: Apache-2.0
/// The settings of `[cluster]`.
#include "actors/run/config_cluster.hpp"

#include "actors/control/endpoint.hpp"
#include "actors/run/config_kinds.hpp"

#include <optional>
#include <stdexcept>

namespace actorpipe {

namespace {

std::optional<std::string> address(const toml::node& element) {
  const auto text = element.value_exact<std::string>();
  if (!text)
    return std::nullopt;
  try {
    const auto parsed = parse_endpoint(*text);
    return parsed.port == 0 ? std::nullopt : text;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::optional<std::int64_t> node_index(const toml::node& element) {
  const auto x = element.value_exact<std::int64_t>();
  return x && *x >= 0 ? x : std::nullopt;
}

} // namespace

std::vector<setting> cluster_settings() {
  return {
    list_of(
      {"cluster", "nodes",
       "Where nodes listen; stages are placed on them in this order, as many "
       "on each as it offers devices, and those left over are spares. [] "
       "trains in this process."},
      "a list of \"HOST:PORT\"",
      [](auto& c) -> auto& { return c.cluster.nodes; }, address,
      [](const std::string& x) { return toml_text(x); }),
    list_of(
      {"cluster", "placement",
       "For every stage the place of its node in the list, the first being 0; "
       "[] fills the nodes in their order."},
      "a list of integers of at least 0",
      [](auto& c) -> auto& { return c.cluster.placement; }, node_index,
      [](std::int64_t x) { return std::to_string(x); }),
    integer(
      {"cluster", "heartbeat_ms",
       "Milliseconds from sign of life to sign of life; a node that is silent "
       "for three of them is lost."},
      [](auto& c) -> auto& { return c.cluster.heartbeat_ms; }, 10, 3'600'000),
    integer(
      {"cluster", "wait_s",
       "The seconds to wait for a node with room when there is none."},
      [](auto& c) -> auto& { return c.cluster.wait_s; }, 0, 30 * 24 * 3600),
    integer(
      {"cluster", "restart_budget",
       "The faults that are survived within 100 steps, failures of layers in "
       "this process included; one more ends the run."},
      [](auto& c) -> auto& { return c.cluster.restart_budget; }, 0, 1'000'000),
    integer(
      {"cluster", "stall_s",
       "The seconds without any progress after which the stall is reported; "
       "after three times as many it is a fault."},
      [](auto& c) -> auto& { return c.cluster.stall_s; }, 1, 30 * 24 * 3600),
    flag(
      {"cluster", "replicate",
       "Whether a second node keeps a copy of every stage's values, so that "
       "nothing is lost with one."},
      [](auto& c) -> auto& { return c.cluster.replicate; }),
    optional_text(
      {"cluster", "tls_certificate",
       "The PEM file with this process's certificate."},
      [](auto& c) -> auto& { return c.cluster.tls_certificate; }),
    optional_text(
      {"cluster", "tls_key", "The PEM file with the certificate's key."},
      [](auto& c) -> auto& { return c.cluster.tls_key; }),
    optional_text(
      {"cluster", "tls_authority",
       "The PEM file with the certificate that every node's is signed by."},
      [](auto& c) -> auto& { return c.cluster.tls_authority; }),
  };
}

} // namespace actorpipe
