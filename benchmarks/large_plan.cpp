// SPDX-License-Identifier: Apache-2.0
/// How long it takes to plan the largest pipeline of the GPipe paper: 128
/// stages, 1663 layers (arXiv 1811.06965, table 1), with 1024 micro-batches.
#include "benchmarks/measure.hpp"
#include "benchmarks/row.hpp"
#include "partition/make_plan.hpp"
#include "partition/memory.hpp"
#include "partition/simulate.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

using namespace actorpipe;
using namespace actorpipe::benchmarks;

namespace {

constexpr std::size_t layers = 1663;
constexpr std::uint32_t cells = 128;

/// Costs in seconds that differ from layer to layer.
std::vector<double> make_costs() {
  std::vector<double> result;
  for (std::size_t i = 0; i < layers; ++i)
    result.push_back(1e-3 * (1 + static_cast<double>(i * 7919 % 101) / 101));
  return result;
}

plan_options make_options(schedule_kind schedule) {
  plan_options result;
  result.layers = layers;
  result.cells = cells;
  result.costs = make_costs();
  result.boundaries.assign(layers + 1,
                           {{"f32[1, 1024, 2048]", 1024 * 2048 * 4, true}});
  result.targets = {{"i32[1, 1024]", 1024 * 4, false}};
  result.schedule = schedule;
  result.recompute = recompute_mode::except_one;
  result.micro_batches = 1024;
  return result;
}

/// Cut, edges, programs, their check, timeline and memory.
void make_whole_plan(const plan_options& options) {
  const auto made = make_plan(options); // and checks it
  const auto shape = shape_of(made);
  simulation_options times;
  times.update_barrier = true;
  for (const auto cost : cell_costs(options.costs, made.cut))
    times.durations.push_back({cost / 3, cost / 3, cost * 2 / 3, 0, 0, 0});
  simulate(made.programs, shape, times);
  cell_memory one;
  one.boundary = 8e6;
  one.saved = 1e8;
  peak_memory(made.programs, shape, std::vector<cell_memory>(cells, one));
}

} // namespace

int main(int argc, char** argv) {
  constexpr double most_s = 1.0;
  const auto rounds = rounds_of(argc, argv, 5);
  bool passed = true;
  for (const auto schedule :
       {schedule_kind::fill_drain, schedule_kind::one_f_one_b}) {
    const auto options = make_options(schedule);
    const auto seconds =
      alternating_medians(rounds, {[&] { make_whole_plan(options); }});
    passed = print_row(fmt::format("Plan of K=128, M=1024, 1663 layers, {}",
                                   to_string(schedule)),
                       fmt::format("{:.2f} s", seconds[0]),
                       fmt::format("< {:.0f} s", most_s), seconds[0] < most_s)
          && passed;
  }
  return exit_status(passed);
}
