// SPDX-License-Identifier: Apache-2.0
/// The vocabulary of simulated clusters: a run of a few steps, what goes wrong
/// in it, and the plain loop that it must equal all the same.
#pragma once

#include "tests/simulation/simulation.hpp"
#include "tests/support/simulated_cluster.hpp"

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

namespace actorpipe::test {

/// How a cluster is made up.
struct line_up {
  arrangement how;
  std::uint32_t nodes = 2;
  std::uint32_t devices = 1; ///< per node
};

inline std::ostream& operator<<(std::ostream& out, const line_up& x) {
  return out << x.how << ", " << x.nodes << " nodes of " << x.devices;
}

inline cluster_simulation_options
cluster_of(std::shared_ptr<const model> source, const line_up& x,
           std::uint64_t order_seed = 1) {
  cluster_simulation_options result;
  result.how = plan_for(*source, data_of(0, x.how.samples), x.how);
  result.source = std::move(source);
  result.registry = pipeline_registry();
  result.rule = adam();
  result.nodes = x.nodes;
  result.devices = x.devices;
  result.world.seed = order_seed;
  result.world.traced = std::getenv("ACTORPIPE_TRACE") != nullptr;
  result.cluster.restart_budget = 1000;
  return result;
}

/// What people were told, and with ACTORPIPE_TRACE in the environment every
/// message as well; for a failure.
inline std::string story_of(simulated_cluster& cluster) {
  std::string result;
  for (const auto& x : cluster.world().trace())
    result += "\n  " + x;
  if (result.empty())
    for (const auto& x : cluster.events())
      result += "\n  " + x.text;
  return result;
}

/// Trains until that many mini-batches are committed, giving those that were
/// lost again, and collects the values.
inline ::testing::AssertionResult train_through(
  simulated_cluster& cluster, const arrangement& how, std::int64_t steps,
  model_values& result, const std::function<void()>& on_commit = [] {}) {
  std::int64_t step = 0;
  const auto note_lost = [&](const step_failure& why) {
    step = why.version;
    return why.code == error_code::rolled_back;
  };
  for (;;) {
    if (step == steps) {
      auto outcome = cluster.values();
      if (!outcome)
        return ::testing::AssertionFailure()
            << "no values come" << story_of(cluster);
      if (outcome->ok) {
        result = std::move(outcome->all);
        return ::testing::AssertionSuccess();
      }
      if (!note_lost(outcome->failure))
        return ::testing::AssertionFailure()
            << outcome->failure.text << story_of(cluster);
      continue;
    }
    const auto outcome =
      cluster.train(data_of(step, how.samples), request_of(step));
    if (!outcome)
      return ::testing::AssertionFailure()
          << "step " << step << " stalls" << story_of(cluster);
    if (outcome->ok) {
      if (outcome->report.updates != step + 1)
        return ::testing::AssertionFailure()
            << "step " << step << " gave version " << outcome->report.updates;
      ++step;
      on_commit();
    } else if (!note_lost(outcome->failure)) {
      return ::testing::AssertionFailure()
          << outcome->failure.text << story_of(cluster);
    }
  }
}

/// Seeds for tests that sample: "A..B" in ACTORPIPE_SEEDS, else one.
struct seed_range {
  std::uint64_t first = 1;
  std::uint64_t last = 1;

  static seed_range from_environment() {
    const char* text = std::getenv("ACTORPIPE_SEEDS");
    if (text == nullptr)
      return {};
    const std::string given(text);
    const auto dots = given.find("..");
    if (dots == given.npos)
      return {std::stoull(given), std::stoull(given)};
    return {std::stoull(given.substr(0, dots)),
            std::stoull(given.substr(dots + 2))};
  }

  /// Every n counts in a campaign; otherwise one in so many does.
  static std::uint64_t stride(std::uint64_t otherwise) {
    return std::getenv("ACTORPIPE_SEEDS") == nullptr ? otherwise : 1;
  }
};

} // namespace actorpipe::test
