// SPDX-License-Identifier: Apache-2.0
/// What the runtime adds to a step: stages that only wait, against the
/// simulator, for which nothing but the waiting takes time.
#include "benchmarks/gpt.hpp"
#include "benchmarks/measure.hpp"
#include "benchmarks/passing_layer.hpp"
#include "benchmarks/row.hpp"
#include "partition/simulate.hpp"

#include <caf/actor_system.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

using namespace actorpipe;
using namespace actorpipe::benchmarks;

int main(int argc, char** argv) {
  constexpr double most_share = 1.03;
  constexpr std::uint32_t stages = 8;
  constexpr std::uint32_t micro_batches = 32;
  constexpr std::chrono::milliseconds forward{10};
  constexpr std::chrono::milliseconds backward{20};
  const auto rounds = rounds_of(argc, argv, 5);

  const layer_hooks hooks{
    [=](std::size_t) { std::this_thread::sleep_for(forward); },
    [=](std::size_t) { std::this_thread::sleep_for(backward); }};
  const auto options = make_passing_line(stages, micro_batches, hooks);
  const auto seconds = [](std::chrono::duration<double> x) {
    return x.count();
  };
  simulation_options times;
  times.durations.assign(
    stages, {seconds(forward), seconds(forward), seconds(backward), 0, 0, 0});
  times.update_barrier = true;
  const auto ideal_s =
    simulate(options.how.programs, shape_of(options.how), times).makespan_s;

  configured config;
  caf::actor_system system{config};
  pipeline line{system, options};
  const auto data = make_passing_batch(micro_batches);
  std::vector<double> steps_s; // from the request to the commit
  for (std::size_t round = 0; round < rounds; ++round)
    steps_s.push_back(
      static_cast<double>(line.train(data, gpt_request).duration_ns) * 1e-9);
  const auto step_s = median(steps_s);
  remark(fmt::format("step {:.4f} s, ideal {:.4f} s", step_s, ideal_s));
  const auto share = step_s / ideal_s;
  return exit_status(print_row(
    "Step of 8 waiting stages, M=32, against the simulator's makespan",
    fmt::format("{:+.2f} %", 100 * (share - 1)),
    fmt::format("<= {:+.0f} %", 100 * (most_share - 1)), share <= most_share));
}
