// SPDX-License-Identifier: Apache-2.0
/// Costs, cut, programs and predictions of a run.
#include "actors/run/run_plan.hpp"

#include "actors/run/stage_prediction.hpp"
#include "compute/model/profile.hpp"
#include "partition/check.hpp"
#include "partition/cost.hpp"
#include "partition/make_plan.hpp"

#include <algorithm>
#include <utility>

namespace actorpipe {

namespace {

// Enough for a median that one slow run does not move.
constexpr std::size_t measured_repeats = 5;

using boundary_types = std::vector<std::vector<tensor_type>>;

std::vector<tensor_type> parts_of(const std::vector<tensor_type>& whole,
                                  std::int64_t samples) {
  std::vector<tensor_type> result;
  for (const auto& x : whole)
    result.push_back({x.type, x.extents.with_front(samples)});
  return result;
}

std::vector<boundary_tensor>
boundary_of(const std::vector<tensor_type>& types) {
  std::vector<boundary_tensor> result;
  for (const auto& x : types)
    result.push_back({to_string(x), x.size_bytes(), is_differentiable(x.type)});
  return result;
}

model_profile measured_profile(const model& source,
                               const pipeline_config& settings,
                               const std::vector<tensor_type>& inputs,
                               const tensor_type& targets) {
  const auto where = make_cpu_device(
    "cpu:0", static_cast<std::size_t>(settings.threads_per_stage));
  return measure(source, *where, inputs, targets, measured_repeats);
}

// Figures per layer; the loss counts for the last.
std::vector<layer_estimate>
estimates_of(const std::shared_ptr<const model>& source,
             const model_profile& profile, const boundary_types& boundaries,
             const tensor_type& targets) {
  std::vector<layer_estimate> result;
  for (std::size_t i = 0; i < profile.layers.size(); ++i) {
    const auto& part = profile.layers[i];
    const auto bytes = footprint_of(source, i, i + 1, boundaries, targets);
    layer_estimate next;
    next.forward_s = part.forward_seconds;
    next.backward_s = part.backward_seconds;
    next.parameter_bytes = part.parameter_bytes;
    next.saved_bytes = static_cast<double>(bytes.stash_everything_bytes);
    result.push_back(next);
  }
  if (!result.empty()) {
    result.back().forward_s += profile.loss.forward_seconds;
    result.back().backward_s += profile.loss.backward_seconds;
  }
  return result;
}

// What the cut compares; none when it is given.
std::vector<double> costs_of(const pipeline_config& settings,
                             const std::vector<layer_estimate>& layers,
                             std::size_t slots) {
  switch (settings.balance) {
  case balance_kind::given:
    return {};
  case balance_kind::size:
    // Two versions of weights and moments, and a gradient.
    return size_costs(layers, 3.0 + 2.0 * static_cast<double>(slots),
                      settings.recompute,
                      static_cast<std::uint32_t>(settings.micro_batches));
  default:
    return time_costs(layers, settings.recompute != recompute_mode::never);
  }
}

simulation simulate_step(const run_plan& x,
                         const std::vector<layer_estimate>& layers) {
  simulation_options times;
  times.update_barrier = true;
  for (std::uint32_t k = 0; k < x.how.cells(); ++k) {
    const auto first = x.how.cut[k];
    const auto whole =
      cost_of_cell(std::span(layers).subspan(first, x.how.cut[k + 1] - first));
    times.durations.push_back(
      {whole.forward_s, whole.forward_s, whole.backward_s, 0, 0, 0});
  }
  return simulate(x.how.programs, shape_of(x.how), times);
}

} // namespace

run_plan make_run_plan(const std::shared_ptr<const model>& source,
                       const run_plan_options& options) {
  auto settings = options.pipeline;
  const auto batch = options.targets.extents[0];
  settings.micro_batches = std::min(batch, settings.micro_batches);
  const auto most =
    (batch + settings.micro_batches - 1) / settings.micro_batches;
  const auto inputs = parts_of(options.inputs, most);
  const auto targets = parts_of({options.targets}, most).front();
  const auto boundaries = source->boundaries(inputs);
  source->loss().check(boundaries.back(), targets);

  run_plan result;
  const auto cut_by_time = settings.balance == balance_kind::time;
  result.measured = options.measure || cut_by_time;
  const auto estimated = estimates_of(
    source, estimate(*source, {}, inputs, targets), boundaries, targets);
  const auto shown =
    result.measured
      ? estimates_of(source,
                     measured_profile(*source, settings, inputs, targets),
                     boundaries, targets)
      : estimated;
  const auto slots = make_optimizer(options.optimizer)->slots().size();

  plan_options wanted;
  wanted.layers = source->size();
  wanted.cells = static_cast<std::uint32_t>(settings.stages);
  for (const auto size : settings.sizes)
    wanted.balance.push_back(static_cast<std::size_t>(size));
  // Measuring for the eye alone must not move the cut.
  wanted.costs = costs_of(settings, cut_by_time ? shown : estimated, slots);
  wanted.objective = settings.balance == balance_kind::variance
                     ? cut_objective::variance
                     : cut_objective::largest;
  for (const auto& types : boundaries)
    wanted.boundaries.push_back(boundary_of(types));
  wanted.targets = boundary_of({targets});
  wanted.schedule = settings.schedule;
  wanted.recompute = settings.recompute;
  wanted.micro_batches = static_cast<std::uint32_t>(settings.micro_batches);
  wanted.credits = static_cast<std::uint32_t>(settings.credits);
  result.how = make_plan(wanted);
  result.how.micro_batch_samples = most;
  result.gradients_in_order =
    check(result.how.programs, shape_of(result.how)).weight_gradients_in_order;

  for (std::size_t i = 0; i < source->size(); ++i) {
    std::int64_t count = 0;
    for (const auto& x : source->at(i).parameters())
      count += x.tied ? 0 : x.extents.elements();
    result.layers.push_back({source->name(i),
                             to_string(boundaries[i + 1].front()), count,
                             shown[i].forward_s, shown[i].backward_s});
  }
  const auto memory =
    predict_memory(source, result.how, boundaries, targets, slots);
  for (std::uint32_t k = 0; k < result.how.cells(); ++k) {
    planned_stage next{result.how.cut[k], result.how.cut[k + 1], 0, 0,
                       memory[k]};
    for (auto i = next.first_layer; i < next.last_layer; ++i) {
      next.forward_s += shown[i].forward_s;
      next.backward_s += shown[i].backward_s;
      if (options.replicates)
        next.replica_bytes += 3 * static_cast<std::int64_t>(1 + slots)
                            * result.layers[i].parameters
                            * static_cast<std::int64_t>(size_bytes(dtype::f32));
    }
    result.stages.push_back(next);
  }
  result.predicted = simulate_step(result, shown);
  return result;
}

} // namespace actorpipe
