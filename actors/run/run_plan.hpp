// SPDX-License-Identifier: Apache-2.0
/// Joins what layers cost with the decision about the cut: the plan of a run
/// and what it predicts.
#pragma once

#include "actors/pipeline.hpp"
#include "actors/run/config.hpp"
#include "compute/device/device.hpp"
#include "compute/model/model.hpp"
#include "partition/plan.hpp"
#include "partition/simulate.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace actorpipe {

/// One layer's figures for one micro-batch of the greatest size.
struct planned_layer {
  std::string name;
  std::string output; ///< type, such as "f32[4, 128, 256]"
  std::int64_t parameters = 0;
  double forward_s = 0;
  double backward_s = 0;
};

/// What a stage is expected to hold and to take.
struct planned_stage {
  std::size_t first_layer = 0;
  std::size_t last_layer = 0; ///< one after
  double forward_s = 0;       ///< of one micro-batch
  double backward_s = 0;
  stage_memory peak;
  /// That another node keeps of it at most, in host memory: two versions, and
  /// a third on its way. 0: nothing is replicated.
  std::int64_t replica_bytes = 0;
};

struct run_plan {
  plan how;
  bool measured = false; ///< times are measured; else estimated
  /// Every cell adds its weight gradients in the order 0..M-1, so that the
  /// result has the bits of the plain loop.
  bool gradients_in_order = false;
  std::vector<planned_layer> layers;
  std::vector<planned_stage> stages;
  simulation predicted; ///< of one training step
};

/// What a plan is made for.
struct run_plan_options {
  pipeline_config pipeline;
  optimizer_options optimizer;
  /// Types of the largest mini-batch: B samples in front. With B < M there are
  /// B micro-batches.
  std::vector<tensor_type> inputs;
  tensor_type targets;
  /// Measure the layers' times for what is shown and simulated; the cut is the
  /// same without.
  bool measure = false;
  /// Each version of a cell is kept by a second node too.
  bool replicates = false;
};

/// Finds the layers' costs, cuts, schedules, checks and simulates. Throws
/// `std::invalid_argument` (`model_error`, `plan_error` among them) for what
/// cannot be planned.
run_plan make_run_plan(const std::shared_ptr<const model>& source,
                       const run_plan_options& options);

/// The plan for a person: layers, stages, programs, predictions.
std::string to_text(const run_plan& x);

/// The same as a JSON object.
std::string to_json(const run_plan& x);

} // namespace actorpipe
