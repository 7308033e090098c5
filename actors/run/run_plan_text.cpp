// SPDX-License-Identifier: Apache-2.0
/// A plan as text and as JSON.
#include "actors/run/run_plan.hpp"

#include "partition/grid.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace actorpipe {

namespace {

double mebibytes(std::int64_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

double sum_of_work_s(const run_plan& x) {
  double result = 0;
  for (const auto& busy : x.predicted.busy_s)
    result += busy;
  return result;
}

} // namespace

std::string to_text(const run_plan& x) {
  const auto& how = x.how;
  std::string out = fmt::format(
    "model: {} layers; times are {} for one micro-batch of {} samples\n",
    x.layers.size(), x.measured ? "measured" : "estimated",
    how.micro_batch_samples);
  out += fmt::format("{:>5}  {:<5}  {:<28}  {:>12}  {:>10}  {:>11}  {}\n",
                     "layer", "stage", "name", "parameters", "forward ms",
                     "backward ms", "output");
  for (std::size_t k = 0; k < x.stages.size(); ++k)
    for (auto i = x.stages[k].first_layer; i < x.stages[k].last_layer; ++i) {
      const auto& layer = x.layers[i];
      out +=
        fmt::format("{:>5}  {:<5}  {:<28}  {:>12}  {:>10.3f}  {:>11.3f}  {}\n",
                    i, k, layer.name, layer.parameters, 1e3 * layer.forward_s,
                    1e3 * layer.backward_s, layer.output);
    }
  out += fmt::format("\nstages: {}, micro-batches: {}, schedule: {}, "
                     "recompute: {}\n",
                     how.cells(), how.micro_batches, to_string(how.schedule),
                     to_string(how.recompute));
  out += fmt::format("{:>5}  {:>6}  {:>10}  {:>11}  peak MiB: {:>11}  {:>9}  "
                     "{:>10}  {:>8}\n",
                     "stage", "layers", "forward ms", "backward ms",
                     "activations", "gradients", "parameters", "together");
  for (std::size_t k = 0; k < x.stages.size(); ++k) {
    const auto& stage = x.stages[k];
    const auto& peak = stage.peak;
    out += fmt::format(
      "{:>5}  {:>6}  {:>10.3f}  {:>11.3f}  {:>21.2f}  "
      "{:>9.2f}  {:>10.2f}  {:>8.2f}\n",
      k, stage.last_layer - stage.first_layer, 1e3 * stage.forward_s,
      1e3 * stage.backward_s, mebibytes(peak.activation_bytes),
      mebibytes(peak.gradient_bytes), mebibytes(peak.parameter_bytes),
      mebibytes(peak.activation_bytes + peak.gradient_bytes
                + peak.parameter_bytes));
  }
  for (std::size_t k = 0; k < x.stages.size(); ++k)
    if (x.stages[k].replica_bytes > 0)
      out += fmt::format("replicas of stage {}: {:.2f} MiB on another node\n",
                         k, mebibytes(x.stages[k].replica_bytes));
  out += fmt::format("\nprograms (checked: complete, no deadlock, weight "
                     "gradients {})\n",
                     x.gradients_in_order
                       ? "in micro-batch order"
                       : "not in micro-batch order: other bits than the plain "
                         "loop");
  out += to_grid(how.programs);
  out += fmt::format(
    "\npredicted step: {:.2f} ms, bubble {:.1f} %, {:.2f} "
    "times one stage alone\n",
    1e3 * x.predicted.makespan_s, 100 * x.predicted.bubble_fraction,
    x.predicted.makespan_s > 0 ? sum_of_work_s(x) / x.predicted.makespan_s
                               : 1.0);
  return out;
}

std::string to_json(const run_plan& x) {
  using json = nlohmann::ordered_json;
  json out;
  out["measured"] = x.measured;
  out["weight_gradients_in_order"] = x.gradients_in_order;
  out["schedule"] = to_string(x.how.schedule);
  out["recompute"] = to_string(x.how.recompute);
  out["micro_batches"] = x.how.micro_batches;
  out["micro_batch_samples"] = x.how.micro_batch_samples;
  out["cut"] = x.how.cut;
  out["layers"] = json::array();
  for (const auto& layer : x.layers)
    out["layers"].push_back({{"name", layer.name},
                             {"output", layer.output},
                             {"parameters", layer.parameters},
                             {"forward_s", layer.forward_s},
                             {"backward_s", layer.backward_s}});
  out["edges"] = json::array();
  for (const auto& e : x.how.edges) {
    json next;
    next["from"] = e.from == edge::feed ? json("feed") : json(e.from);
    next["to"] = e.to;
    next["target"] = e.is_target;
    next["type"] = e.type;
    next["bytes"] = e.bytes;
    next["needs_gradient"] = e.needs_gradient;
    next["credits"] = e.credits;
    out["edges"].push_back(std::move(next));
  }
  out["stages"] = json::array();
  for (std::size_t k = 0; k < x.stages.size(); ++k) {
    const auto& stage = x.stages[k];
    json timeline = json::array();
    for (const auto& t : x.predicted.timeline[k])
      timeline.push_back({{"action", to_string(t.what)},
                          {"start_s", t.start_s},
                          {"end_s", t.end_s}});
    out["stages"].push_back(
      {{"first_layer", stage.first_layer},
       {"last_layer", stage.last_layer},
       {"forward_s", stage.forward_s},
       {"backward_s", stage.backward_s},
       {"peak_activation_bytes", stage.peak.activation_bytes},
       {"peak_gradient_bytes", stage.peak.gradient_bytes},
       {"peak_parameter_bytes", stage.peak.parameter_bytes},
       {"replica_bytes", stage.replica_bytes},
       {"program", to_string(x.how.programs[k])},
       {"timeline", std::move(timeline)}});
  }
  out["predicted_step_s"] = x.predicted.makespan_s;
  out["predicted_bubble"] = x.predicted.bubble_fraction;
  return out.dump(2) + "\n";
}

} // namespace actorpipe
