// SPDX-License-Identifier: Apache-2.0
/// Two stages in two processes against two in one, and what replicas cost.
#include "actors/cluster/cluster.hpp"
#include "benchmarks/gpt.hpp"
#include "benchmarks/measure.hpp"
#include "benchmarks/node_processes.hpp"
#include "benchmarks/row.hpp"

#include <caf/actor_system.hpp>

#include <fmt/format.h>

using namespace actorpipe;
using namespace actorpipe::benchmarks;

namespace {

constexpr std::uint32_t micro_batches = 8;
constexpr double required_speed = 0.97;
constexpr double allowed_cost = 0.03;

std::unique_ptr<cluster> make_line(const node_processes& nodes,
                                   bool replicates) {
  auto options = nodes.options();
  options.replicates = replicates;
  return std::make_unique<cluster>(options, make_gpt_line(2, micro_batches),
                                   layer_registry::with_builtin());
}

} // namespace

int main(int argc, char** argv) {
  run_if_node(argc, argv);
  const auto rounds = rounds_of(argc, argv, 11);
  configured config;
  caf::actor_system system{config};
  pipeline here{system, make_gpt_line(2, micro_batches)};
  const node_processes first(2, 1);
  const node_processes second(2, 1);
  const auto plain = make_line(first, false);
  const auto replicated = make_line(second, true);
  const auto data = make_gpt_batch();
  // Two steps each, so that what is sent while the next one computes is within
  // the time.
  const auto two_steps = [&](auto& line) {
    return [&] {
      line.train(data, gpt_request);
      line.train(data, gpt_request);
    };
  };
  const auto seconds = alternating_medians(
    rounds, {two_steps(here), two_steps(*plain), two_steps(*replicated)});
  const auto speed = seconds[0] / seconds[1];
  const auto cost = seconds[2] / seconds[1] - 1;
  remark(fmt::format("one process {:.3f} s, two processes {:.3f} s, with "
                     "replicas {:.3f} s a step",
                     seconds[0] / 2, seconds[1] / 2, seconds[2] / 2));
  bool passed = print_row(
    "K=2 in two processes against one, M=8", fmt::format("{:.3f}x", speed),
    fmt::format(">= {:.2f}x", required_speed), speed >= required_speed);
  passed = print_row(
             "cost of replicas in memory", fmt::format("{:+.1f} %", 100 * cost),
             fmt::format("< {:.0f} %", 100 * allowed_cost), cost < allowed_cost)
        && passed;
  return exit_status(passed);
}
