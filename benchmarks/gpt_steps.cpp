// SPDX-License-Identifier: Apache-2.0
/// Our side of the comparison with PyTorch: trains one step for every line of
/// its input and answers with the seconds that it took.
#include "benchmarks/gpt.hpp"
#include "benchmarks/measure.hpp"

#include <caf/actor_system.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>

using namespace actorpipe;
using namespace actorpipe::benchmarks;

int main() {
  configured config;
  caf::actor_system system{config};
  const auto options = make_gpt_line(1, 8);
  pipeline line{system, options};
  const auto data = make_gpt_batch();
  std::int64_t parameters = 0;
  for (const auto& x : options.source->parameters())
    parameters += x.declaration.extents.elements();
  fmt::print("actorpipe, {} parameters\n", parameters);
  std::fflush(stdout);
  std::string word;
  while (std::getline(std::cin, word)) {
    double loss = 0;
    const auto seconds =
      seconds_of([&] { loss = line.train(data, gpt_request).loss; });
    fmt::print("{} {}\n", seconds, loss);
    std::fflush(stdout);
  }
}
