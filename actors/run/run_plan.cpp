// SPDX-License-Identifier: Apache-2.0
/// Costs, cut, programs and predictions of a run.
#include "actors/run/run_plan.hpp"

#include "compute/model/memory_profile.hpp"
#include "compute/model/profile.hpp"
#include "partition/cost.hpp"
#include "partition/make_plan.hpp"
#include "partition/memory.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace actorpipe {

namespace {

// Enough for a median that one slow run does not move.
constexpr std::size_t measured_repeats = 5;

tensor_type part_of(const tensor_type& whole, std::int64_t samples) {
  return {whole.type, whole.extents.with_front(samples)};
}

std::vector<boundary_tensor>
boundary_of(const std::vector<tensor_type>& types) {
  std::vector<boundary_tensor> result;
  for (const auto& x : types)
    result.push_back({to_string(x), x.size_bytes(), is_differentiable(x.type)});
  return result;
}

// Bytes of layers [first, last) as one cell, found by a dry run.
cell_footprint footprint_of(const std::shared_ptr<const model>& source,
                            std::size_t first, std::size_t last,
                            const std::vector<std::vector<tensor_type>>& at,
                            const tensor_type& targets) {
  const cell work(source, first, last);
  return profile_memory(work, at[first],
                        work.has_loss() ? std::optional(targets) : std::nullopt,
                        first > 0);
}

// Figures for the cut; the loss counts for the last layer.
std::vector<layer_estimate> estimates_of(
  const std::shared_ptr<const model>& source, const model_profile& profile,
  const std::vector<std::vector<tensor_type>>& at, const tensor_type& targets) {
  std::vector<layer_estimate> result;
  for (std::size_t i = 0; i < profile.layers.size(); ++i) {
    const auto& part = profile.layers[i];
    const auto bytes = footprint_of(source, i, i + 1, at, targets);
    layer_estimate next;
    next.forward_s = part.forward_seconds;
    next.backward_s = part.backward_seconds;
    next.parameter_bytes = part.parameter_bytes;
    next.boundary_bytes = part.output_bytes;
    next.saved_bytes = static_cast<double>(bytes.stash_everything_bytes);
    result.push_back(next);
  }
  if (!result.empty()) {
    result.back().forward_s += profile.loss.forward_seconds;
    result.back().backward_s += profile.loss.backward_seconds;
  }
  return result;
}

cut_objective objective_of(balance_kind kind) {
  return kind == balance_kind::variance ? cut_objective::variance
                                        : cut_objective::largest;
}

// Weights, gradient and moments per weight.
double copies_of(const optimizer& rule) {
  return 2.0 + static_cast<double>(rule.slots().size());
}

cell_memory memory_of(const cell_footprint& x, bool has_loss,
                      std::int64_t d_x_bytes) {
  const auto beyond = [](std::int64_t peak, std::int64_t held) {
    return static_cast<double>(std::max<std::int64_t>(peak - held, 0));
  };
  const auto written = has_loss ? 0 : x.output_bytes;
  cell_memory result;
  result.boundary = static_cast<double>(x.stash_inputs_bytes + x.target_bytes);
  result.saved = static_cast<double>(x.stash_everything_bytes + x.target_bytes);
  result.forward_transient =
    beyond(x.forward_inputs_peak_bytes, x.stash_inputs_bytes + written);
  result.kept_forward_transient =
    beyond(x.forward_everything_peak_bytes, x.stash_everything_bytes + written);
  result.recompute_transient =
    beyond(x.recompute_peak_bytes, x.stash_everything_bytes);
  result.backward_transient =
    beyond(x.backward_peak_bytes, x.stash_everything_bytes + d_x_bytes);
  return result;
}

} // namespace

run_plan make_run_plan(const std::shared_ptr<const model>& source,
                       const run_plan_options& options) {
  const auto& settings = options.pipeline;
  const auto batch = options.targets.extents[0];
  const auto parts = std::min(batch, settings.micro_batches);
  const auto most = (batch + parts - 1) / parts;
  std::vector<tensor_type> inputs;
  for (const auto& x : options.inputs)
    inputs.push_back(part_of(x, most));
  const auto targets = part_of(options.targets, most);
  const auto boundaries = source->boundaries(inputs);
  source->loss().check(boundaries.back(), targets);

  run_plan result;
  result.measured = options.measure || settings.balance == balance_kind::time;
  model_profile profile;
  if (result.measured) {
    const auto where = make_cpu_device(
      "cpu:0", static_cast<std::size_t>(settings.threads_per_stage));
    profile = measure(*source, *where, inputs, targets, measured_repeats);
  } else {
    profile = estimate(*source, {}, inputs, targets);
  }
  const auto costs = estimates_of(source, profile, boundaries, targets);
  const auto rule = make_optimizer(options.optimizer);

  plan_options wanted;
  wanted.layers = source->size();
  wanted.cells = static_cast<std::uint32_t>(settings.stages);
  for (const auto size : settings.sizes)
    wanted.balance.push_back(static_cast<std::size_t>(size));
  if (settings.balance == balance_kind::size)
    wanted.costs = size_costs(costs, copies_of(*rule),
                              settings.recompute == recompute_mode::never
                                ? static_cast<double>(settings.micro_batches)
                                : 1.0);
  else if (settings.balance != balance_kind::given)
    wanted.costs =
      time_costs(costs, settings.recompute != recompute_mode::never);
  wanted.objective = objective_of(settings.balance);
  for (const auto& types : boundaries)
    wanted.boundaries.push_back(boundary_of(types));
  wanted.targets = boundary_of({targets});
  wanted.schedule = settings.schedule;
  wanted.recompute = settings.recompute;
  wanted.micro_batches = static_cast<std::uint32_t>(settings.micro_batches);
  wanted.credits = static_cast<std::uint32_t>(settings.credits);
  result.how = make_plan(wanted);
  result.how.micro_batch_samples = most;

  for (std::size_t i = 0; i < source->size(); ++i) {
    std::int64_t count = 0;
    for (const auto& x : source->at(i).parameters())
      count += x.tied ? 0 : x.extents.elements();
    result.layers.push_back({source->name(i),
                             to_string(boundaries[i + 1].front()), count,
                             costs[i].forward_s, costs[i].backward_s});
  }

  const auto shape = shape_of(result.how);
  simulation_options times;
  times.update_barrier = true;
  std::vector<cell_memory> memory;
  std::vector<stage_memory> parameters;
  for (std::uint32_t k = 0; k < result.how.cells(); ++k) {
    const auto first = result.how.cut[k];
    const auto last = result.how.cut[k + 1];
    const auto whole =
      cost_of_cell(std::span(costs).subspan(first, last - first));
    times.durations.push_back(
      {whole.forward_s, whole.forward_s, whole.backward_s, 0, 0, 0});
    const auto footprint =
      footprint_of(source, first, last, boundaries, targets);
    const auto has_loss = last == source->size();
    std::int64_t d_x = 0;
    for (const auto& x : boundaries[first])
      d_x += k > 0 && is_differentiable(x.type) ? x.size_bytes() : 0;
    memory.push_back(memory_of(footprint, has_loss, d_x));
    // The next version is made beside the present one.
    const auto copies =
      2 * (1 + static_cast<std::int64_t>(rule->slots().size()));
    parameters.push_back(
      {0, footprint.gradient_bytes,
       copies * footprint.parameter_bytes + footprint.gradient_bytes});
    result.stages.push_back(
      {first, last, whole.forward_s, whole.backward_s, {}});
  }
  result.predicted = simulate(result.how.programs, shape, times);
  const auto peaks = peak_memory(result.how.programs, shape, memory);
  for (std::uint32_t k = 0; k < result.how.cells(); ++k) {
    auto& peak = result.stages[k].peak;
    peak = parameters[k];
    peak.activation_bytes = std::llround(peaks[k].peak_bytes);
  }
  return result;
}

} // namespace actorpipe
