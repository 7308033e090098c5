// SPDX-License-Identifier: Apache-2.0
/// An actor system that knows the messages, and options for pipelines in it.
#pragma once

#include "actors/pipeline.hpp"
#include "tests/support/pipeline_models.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace actorpipe::test {

struct configured : caf::actor_system_config {
  configured() {
    set("scheduler.max-threads", 1);
    configure(*this);
  }
};

/// What a pipeline and the plain loop beside it are made from.
struct line_case {
  std::shared_ptr<const model> source;
  optimizer_options rule;
  arrangement how;
  batch like; ///< a mini-batch of that kind, of any size
  std::uint64_t seed = 3;
};

/// On reference devices.
inline pipeline_options options_of(const line_case& x) {
  pipeline_options result;
  result.source = x.source;
  result.optimizer = x.rule;
  result.how = plan_for(*x.source, x.like, x.how);
  result.seed = x.seed;
  for (std::uint32_t i = 0; i < x.how.cells; ++i)
    result.devices.push_back(make_reference_device("device"));
  return result;
}

inline sequential_trainer plain_loop(const line_case& x) {
  return {x.source, make_optimizer(x.rule), make_reference_device("plain"),
          x.seed};
}

inline train_options as_options(const train_request& request,
                                const line_case& x) {
  return {x.how.micro_batches, request.learning_rate, request.max_norm};
}

} // namespace actorpipe::test
