// SPDX-License-Identifier: Apache-2.0
/// Checks the options of a pipeline.
#include "actors/pipeline_parts.hpp"

#include "actors/process_facts.hpp"

#include "partition/make_plan.hpp"

#include <stdexcept>
#include <string>

namespace actorpipe {

pipeline_parts make_parts(const pipeline_options& options) {
  if (options.source == nullptr)
    throw std::invalid_argument("a pipeline needs a model");
  pipeline_parts result;
  result.how = std::make_shared<const plan>(options.how);
  require_valid(*result.how);
  if (result.how->cut.back() != options.source->size())
    throw std::invalid_argument(
      "the plan cuts " + std::to_string(result.how->cut.back())
      + " layers and the model has " + std::to_string(options.source->size()));
  for (const auto& actions : result.how->programs)
    for (const auto& x : actions)
      if (x.kind == action_kind::input_gradient
          || x.kind == action_kind::weight_gradient)
        throw std::invalid_argument(
          "the plan splits a backward (" + to_string(x)
          + "); a stage computes both parts at once, as B");
  result.run = options.run == 0 ? draw_id() : options.run;
  result.seed = options.seed;
  result.source = options.source;
  result.rule = make_optimizer(options.optimizer);
  result.layout =
    std::make_shared<const parameter_layout>(*options.source, result.how->cut);
  result.now_ns = options.now_ns ? options.now_ns : steady_now_ns;
  return result;
}

} // namespace actorpipe
