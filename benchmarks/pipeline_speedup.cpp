// SPDX-License-Identifier: Apache-2.0
/// Two stages against one, as far as the machine runs two things at once.
#include "benchmarks/gpt.hpp"
#include "benchmarks/measure.hpp"
#include "benchmarks/row.hpp"

#include <caf/actor_system.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <thread>

using namespace actorpipe;
using namespace actorpipe::benchmarks;

namespace {

constexpr double required_share = 0.95;

/// M K / (M + K - 1): all that the schedule allows.
double ideal_speedup(double stages, double micro_batches) {
  return micro_batches * stages / (micro_batches + stages - 1);
}

bool measure_speedup(caf::actor_system& system, std::uint32_t micro_batches,
                     std::size_t rounds) {
  pipeline one{system, make_gpt_line(1, micro_batches)};
  pipeline other{system, make_gpt_line(1, micro_batches)};
  pipeline two_stages{system, make_gpt_line(2, micro_batches)};
  const auto data = make_gpt_batch();
  const auto seconds = alternating_medians(
    rounds, {[&] { one.train(data, gpt_request); },
             [&] {
               std::jthread beside([&] { other.train(data, gpt_request); });
               one.train(data, gpt_request);
             },
             [&] { two_stages.train(data, gpt_request); }});
  const auto at_once = seconds[0] / seconds[1];
  const auto speedup = seconds[0] / seconds[2];
  const auto required =
    required_share * ideal_speedup(2, micro_batches) * at_once;
  remark(fmt::format("M={}: one stage {:.3f} s, two stages {:.3f} s; two "
                     "independent runs at once reach {:.3f} of their speed",
                     micro_batches, seconds[0], seconds[2], at_once));
  return print_row(fmt::format("K=2 against K=1, M={}", micro_batches),
                   fmt::format("{:.3f}x", speedup),
                   fmt::format(">= {:.3f}x", required), speedup >= required);
}

} // namespace

int main(int argc, char** argv) {
  const auto rounds = rounds_of(argc, argv, 11);
  configured config;
  caf::actor_system system{config};
  bool passed = true;
  for (const auto micro_batches : {4U, 8U, 32U})
    passed = measure_speedup(system, micro_batches, rounds) && passed;
  return exit_status(passed);
}
