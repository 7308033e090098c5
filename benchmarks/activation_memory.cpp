// SPDX-License-Identifier: Apache-2.0
/// The most activation bytes that each stage held, against what the plan said,
/// for every schedule and recompute mode.
#include "actors/run/run_plan.hpp"
#include "benchmarks/gpt.hpp"
#include "benchmarks/row.hpp"

#include <caf/actor_system.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

using namespace actorpipe;
using namespace actorpipe::benchmarks;

namespace {

constexpr double most_deviation = 0.10;
constexpr std::uint32_t stages = 4;
constexpr std::uint32_t micro_batches = 8;

/// The greatest share by which a stage deviates from the plan.
double deviation(caf::actor_system& system, schedule_kind schedule,
                 recompute_mode recompute) {
  pipeline_options options;
  options.source = make_gpt_model();
  options.optimizer = plain_sgd();
  const auto data = make_gpt_batch();
  pipeline_config settings;
  settings.stages = stages;
  settings.micro_batches = micro_batches;
  settings.schedule = schedule;
  settings.recompute = recompute;
  const auto planned = make_run_plan(
    options.source, {settings, options.optimizer, types_of(data.inputs),
                     data.targets.type(), false});
  options.how = planned.how;
  pipeline line{system, options};
  for (std::int64_t step = 0; step < 2; ++step)
    line.train(data, gpt_request);

  const auto peaks = line.peak_memory();
  double worst = 0;
  std::string remarks;
  for (std::uint32_t k = 0; k < stages; ++k) {
    const auto held = static_cast<double>(peaks[k].activation_bytes);
    const auto said =
      static_cast<double>(planned.stages[k].peak.activation_bytes);
    worst = std::max(worst, std::abs(held / said - 1));
    remarks += fmt::format("{} {:.2f} of {:.2f}", k > 0 ? "," : "", held / 1e6,
                           said / 1e6);
  }
  remark(fmt::format("{}, {}: MB per stage{}", to_string(schedule),
                     to_string(recompute), remarks));
  return worst;
}

} // namespace

int main() {
  configured config;
  caf::actor_system system{config};
  bool passed = true;
  for (const auto recompute :
       {recompute_mode::always, recompute_mode::except_one,
        recompute_mode::never}) {
    double worst = 0;
    for (const auto schedule :
         {schedule_kind::fill_drain, schedule_kind::fill_drain_reverse,
          schedule_kind::one_f_one_b})
      worst = std::max(worst, deviation(system, schedule, recompute));
    passed =
      print_row(fmt::format("Peak activation bytes of any stage and schedule "
                            "against the plan, K=4, M=8, recompute {}",
                            to_string(recompute)),
                fmt::format("within {:.1f} %", 100 * worst),
                fmt::format("within {:.0f} %", 100 * most_deviation),
                worst <= most_deviation)
      && passed;
  }
  return exit_status(passed);
}
