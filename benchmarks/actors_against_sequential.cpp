// SPDX-License-Identifier: Apache-2.0
/// One stage through the actors against the plain loop.
#include "benchmarks/gpt.hpp"
#include "benchmarks/measure.hpp"
#include "benchmarks/row.hpp"

#include <caf/actor_system.hpp>

#include <fmt/format.h>

using namespace actorpipe;
using namespace actorpipe::benchmarks;

int main(int argc, char** argv) {
  constexpr double required = 0.98;
  constexpr std::int64_t micro_batches = 8;
  const auto rounds = rounds_of(argc, argv, 21);
  configured config;
  caf::actor_system system{config};
  pipeline line{system, make_gpt_line(1, micro_batches)};
  sequential_trainer loop(make_gpt_model(), make_optimizer(plain_sgd()),
                          make_cpu_device("cpu:0", 1), 0);
  const auto data = make_gpt_batch();
  const auto seconds = alternating_medians(
    rounds, {[&] { line.train(data, gpt_request); },
             [&] {
               loop.train(data, gpt_request.step,
                          {micro_batches, gpt_request.learning_rate, 0});
             }});
  remark(fmt::format("actors {:.3f} s, plain loop {:.3f} s", seconds[0],
                     seconds[1]));
  const auto speed = seconds[1] / seconds[0];
  return exit_status(print_row("K=1 through the actors against the plain loop",
                               fmt::format("{:.3f}x", speed),
                               fmt::format(">= {:.2f}x", required),
                               speed >= required));
}
