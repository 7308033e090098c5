// SPDX-License-Identifier: Apache-2.0
/// What the run loop trains with: a pipeline, or the plain loop.
#pragma once

#include "actors/cluster/cluster_options.hpp"
#include "actors/pipeline.hpp"
#include "compute/data/batch.hpp"
#include "compute/layers/layer_registry.hpp"
#include "compute/train/model_values.hpp"
#include "messages/messages.hpp"
#include "messages/standing.hpp"

#include <memory>
#include <vector>

namespace actorpipe {

/// Both kinds give the same bits for the same micro-batches. The functions
/// throw what `pipeline` and `sequential_trainer` throw.
class training_engine {
public:
  virtual ~training_engine() = default;
  virtual step_report train(const batch& data, const train_request& how) = 0;
  virtual step_report evaluate(const batch& data) = 0;
  virtual model_values values() = 0;
  virtual void set_values(const model_values& next) = 0;
  /// Per stage; empty for the plain loop.
  virtual std::vector<stage_memory> peak_memory() const = 0;
  /// Where the stages stand now; empty where nobody can tell. May be called
  /// from any thread, during another call too.
  virtual std::vector<standing> standings() const { return {}; }
};

/// A pipeline in `system`, or in an actor system of its own when that is null.
std::unique_ptr<training_engine>
make_pipeline_engine(pipeline_options options, caf::actor_system* system);

/// The stages on other nodes. `registry` is what they must know too.
std::unique_ptr<training_engine>
make_cluster_engine(cluster_options nodes, pipeline_options options,
                    const layer_registry& registry);

/// The plain loop on one CPU device, with as many micro-batches as the plan of
/// `options` has.
std::unique_ptr<training_engine>
make_sequential_engine(const pipeline_options& options);

} // namespace actorpipe
