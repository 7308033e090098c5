// SPDX-License-Identifier: Apache-2.0
/// The language model that the benchmarks train, and pipelines that train it.
#include "benchmarks/gpt.hpp"

#include "actors/run/run_plan.hpp"

#include <stdexcept>
#include <vector>

namespace actorpipe::benchmarks {

std::shared_ptr<const model> make_gpt_model() {
  gpt_options options;
  options.vocabulary = gpt::vocabulary;
  options.sequence = gpt::sequence;
  options.width = gpt::width;
  options.depth = gpt::depth;
  options.heads = gpt::heads;
  return build_model(make_gpt(options), layer_registry::with_builtin());
}

batch make_gpt_batch() {
  std::vector<std::uint8_t> tokens;  // [B, T]
  std::vector<std::int32_t> targets; // [B, T]
  for (std::int64_t i = 0; i < gpt::samples * gpt::sequence; ++i) {
    tokens.push_back(static_cast<std::uint8_t>(i * 7 % gpt::vocabulary));
    targets.push_back(static_cast<std::int32_t>((i + 1) * 7 % gpt::vocabulary));
  }
  return {{tensor::from({gpt::samples, gpt::sequence}, tokens)},
          tensor::from({gpt::samples, gpt::sequence}, targets)};
}

optimizer_options plain_sgd() {
  optimizer_options result;
  result.kind = optimizer_kind::sgd;
  return result;
}

pipeline_options make_gpt_line(std::uint32_t stages,
                               std::uint32_t micro_batches) {
  pipeline_options result;
  result.source = make_gpt_model();
  result.optimizer = plain_sgd();
  const auto data = make_gpt_batch();
  pipeline_config settings;
  settings.stages = stages;
  settings.micro_batches = micro_batches;
  settings.recompute = recompute_mode::never;
  settings.balance = balance_kind::given;
  switch (stages) {
  case 1:
    settings.sizes = {3 + 2 * gpt::depth};
    break;
  case 2:
    // The embedding costs little, as do the norm and the head.
    settings.sizes = {1 + gpt::depth, gpt::depth + 2};
    break;
  default:
    settings.balance = balance_kind::estimate;
  }
  result.how = make_run_plan(result.source,
                             {settings, result.optimizer, types_of(data.inputs),
                              data.targets.type(), false})
                 .how;
  return result;
}

configured::configured() {
  configure(*this);
}

} // namespace actorpipe::benchmarks
