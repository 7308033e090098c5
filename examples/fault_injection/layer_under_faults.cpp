// SPDX-License-Identifier: Apache-2.0
/// Tests a layer of one's own under faults: at each action of a step, in turn,
/// an actor that has the layer is killed, or the layer throws. The loss after
/// the last step must always have the bits of a run without faults.
#include "actors/cluster/cluster.hpp"
#include "actors/cluster/node_process.hpp"
#include "actors/faults/fault_rules.hpp"
#include "actors/run/run_plan.hpp"
#include "actors/scheduler_client.hpp"
#include "examples/custom_layer/swish.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace actorpipe;

namespace {

constexpr std::int64_t samples = 16; // B
constexpr std::int64_t steps = 4;

layer_registry registry() {
  auto result = layer_registry::with_builtin();
  register_swish(result);
  return result;
}

/// Two stages; the layer is number 2, in the second.
pipeline_options line() {
  pipeline_options result;
  result.source =
    build_model({{{"linear", "first", {{"inputs", 2}, {"outputs", 16}}, {}},
                  {"tanh", "bend", {}, {}},
                  {"swish", "swish", {{"width", 16}}, {}},
                  {"linear", "second", {{"inputs", 16}, {"outputs", 2}}, {}}},
                 {"softmax_cross_entropy", "loss", {}, {}}},
                registry());
  result.seed = 1;
  run_plan_options how;
  how.pipeline.stages = 2;
  how.pipeline.micro_batches = 2;
  how.pipeline.balance = balance_kind::given;
  how.pipeline.sizes = {2, 2};
  how.optimizer = result.optimizer;
  how.inputs = {{dtype::f32, {samples, 2}}};
  how.targets = {dtype::i32, {samples}};
  result.how = make_run_plan(result.source, how).how;
  return result;
}

/// Points in the plane, and on which side of a wave they lie.
batch points(std::int64_t step) {
  std::vector<float> where;
  std::vector<std::int32_t> side;
  for (std::int64_t i = 0; i < samples; ++i) {
    const auto x = std::sin(static_cast<float>(12 * i + step));
    const auto y = std::cos(static_cast<float>(7 * i * i + step));
    where.insert(where.end(), {x, y});
    side.push_back(y < std::sin(3 * x) ? 1 : 0);
  }
  return {{tensor::from({samples, 2}, where)}, tensor::from({samples}, side)};
}

/// The loss of the last step, and how often the run recovered.
struct result {
  double loss = 0;
  std::uint32_t recoveries = 0;
};

/// Trains under these rules; whoever drives a cluster gives lost steps again.
result train(const std::vector<std::string>& nodes, const std::string& faults) {
  cluster_options options;
  options.nodes = nodes;
  options.heartbeat = std::chrono::milliseconds(100);
  options.faults = faults;
  cluster over_nodes(options, line(), registry());
  result all;
  for (std::int64_t step = 0; step < steps;) {
    try {
      all.loss = over_nodes.train(points(step), {step, 0.05, 1}).loss;
      ++step;
    } catch (const pipeline_error& error) {
      if (error.code() == error_code::rolled_back)
        step = error.version();
      else if (error.code() != error_code::layer_failed)
        throw;
    }
  }
  all.recoveries = over_nodes.view().recoveries;
  return all;
}

} // namespace

int main() {
  node_options on_any_port;
  on_any_port.listen = "127.0.0.1:0";
  on_any_port.registry = registry();
  const node_process first(on_any_port), second(on_any_port);
  const std::vector nodes{first.address(), second.address()};
  const auto expected = train(nodes, "");
  const auto how = line().how;

  int wrong = 0;
  for (const auto& when : how.programs[1])
    for (const std::string what :
         {"do = \"throw\"\nlayer = 2", "do = \"kill\"\nstage = 1",
          "do = \"kill\"\nparameter = 1"}) {
      const auto rule = "[[fault]]\n" + what + "\nstep = 2\nbefore = \""
                      + to_string(when) + "\"\n";
      const auto got = train(nodes, rule);
      const bool is_same = got.loss == expected.loss;
      std::printf("%s, %u recoveries: %s\n",
                  to_string(parse_faults(rule).all[0]).c_str(), got.recoveries,
                  is_same ? "same bits" : "ANOTHER RESULT");
      wrong += is_same ? 0 : 1;
    }
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
