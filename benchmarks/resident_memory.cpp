// SPDX-License-Identifier: Apache-2.0
/// How much memory the process gains over a thousand steps.
#include "actors/run/run_plan.hpp"
#include "benchmarks/gpt.hpp"
#include "benchmarks/row.hpp"

#include <caf/actor_system.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <vector>

using namespace actorpipe;
using namespace actorpipe::benchmarks;

namespace {

constexpr std::int64_t small_samples = 8;
constexpr std::int64_t small_sequence = 32;
constexpr std::int64_t small_vocabulary = 64;

double resident_bytes() {
  std::ifstream statistics("/proc/self/statm");
  std::int64_t size_pages = 0;
  std::int64_t resident_pages = 0;
  if (!(statistics >> size_pages >> resident_pages))
    throw std::runtime_error("cannot read /proc/self/statm");
  return static_cast<double>(resident_pages * sysconf(_SC_PAGESIZE));
}

std::shared_ptr<const model> make_small_model() {
  gpt_options options;
  options.vocabulary = small_vocabulary;
  options.sequence = small_sequence;
  options.width = 128;
  options.depth = 4;
  options.heads = 4;
  options.dropout = 0.1;
  return build_model(make_gpt(options), layer_registry::with_builtin());
}

/// Another one for every step.
batch make_small_batch(std::int64_t step) {
  std::vector<std::uint8_t> tokens;
  std::vector<std::int32_t> targets;
  for (std::int64_t i = 0; i < small_samples * small_sequence; ++i) {
    const auto next = (i + step) * 5 % small_vocabulary;
    tokens.push_back(static_cast<std::uint8_t>(next));
    targets.push_back(static_cast<std::int32_t>((next + 5) % small_vocabulary));
  }
  return {{tensor::from({small_samples, small_sequence}, tokens)},
          tensor::from({small_samples, small_sequence}, targets)};
}

} // namespace

int main(int argc, char** argv) {
  constexpr double most_growth = 0.02;
  constexpr std::int64_t steps_before = 20;
  const auto steps_after =
    static_cast<std::int64_t>(rounds_of(argc, argv, 1000));
  pipeline_options options;
  options.source = make_small_model();
  options.optimizer.kind = optimizer_kind::adamw;
  const auto first = make_small_batch(0);
  pipeline_config settings;
  settings.micro_batches = 4;
  options.how = make_run_plan(options.source, {settings, options.optimizer,
                                               types_of(first.inputs),
                                               first.targets.type(), false})
                  .how;
  configured config;
  caf::actor_system system{config};
  pipeline line{system, options};

  std::int64_t step = 0;
  const auto train = [&](std::int64_t count) {
    for (const auto end = step + count; step < end; ++step)
      line.train(make_small_batch(step), {step, 1e-3, 1});
  };
  train(steps_before);
  const auto before = resident_bytes();
  train(steps_after);
  const auto after = resident_bytes();
  remark(fmt::format("{:.2f} MB after step {}, {:.2f} MB after step {}",
                     before / 1e6, steps_before, after / 1e6, step));
  const auto growth = after / before - 1;
  return exit_status(print_row(
    fmt::format("Resident memory over {} steps", steps_after),
    fmt::format("{:+.2f} %", 100 * growth),
    fmt::format("< {:+.0f} %", 100 * most_growth), growth < most_growth));
}
