// SPDX-License-Identifier: Apache-2.0
/// The training step against the bare matrix products that it contains.
#include "benchmarks/gpt.hpp"
#include "benchmarks/gpt_products.hpp"
#include "benchmarks/measure.hpp"
#include "benchmarks/row.hpp"

#include <caf/actor_system.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace actorpipe;
using namespace actorpipe::benchmarks;

int main(int argc, char** argv) {
  constexpr double required = 0.90;
  constexpr std::int64_t micro_batches = 8;
  const auto rounds = rounds_of(argc, argv, 15);
  configured config;
  caf::actor_system system{config};
  pipeline line{system, make_gpt_line(1, micro_batches)};
  const auto data = make_gpt_batch();

  gpt_products source(micro_batches);
  struct variant {
    const char* name;
    std::vector<product> products;
  };
  const std::vector<variant> variants{
    {"as issued", source.step({true, true})},
    {"linear layers whole", source.step({false, true})},
    {"linear layers whole, attention over all pairs",
     source.step({false, false})},
  };
  std::vector<std::function<void()>> works{
    [&] { line.train(data, gpt_request); }};
  for (const auto& x : variants)
    works.emplace_back([&] { run(x.products); });
  const auto seconds = alternating_medians(rounds, works);

  remark(fmt::format("step {:.3f} s", seconds[0]));
  for (std::size_t i = 0; i < variants.size(); ++i)
    remark(fmt::format("products {}: {:.3f} s, {:.1f} GFLOP/s",
                       variants[i].name, seconds[i + 1],
                       flops_of(variants[i].products) / seconds[i + 1] / 1e9));
  const auto bare = *std::min_element(seconds.begin() + 1, seconds.end());
  const auto rate = bare / seconds[0];
  return exit_status(
    print_row("GPT training step against its bare matrix products",
              fmt::format("{:.3f} of their rate", rate),
              fmt::format(">= {:.2f}", required), rate >= required));
}
