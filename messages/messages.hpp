// SPDX-License-Identifier: Apache-2.0
/// Every message between the actors of a pipeline. "from -> to: meaning".
///
/// A message that belongs to a mini-batch carries its `work_id`; a receiver
/// drops it when the id is older than its own. Control messages may arrive
/// twice: the second changes nothing. Shapes are in the letters of
/// `compute/tensor/types.hpp`.
#pragma once

#include "compute/data/batch.hpp"
#include "compute/layers/layer.hpp"
#include "messages/error_code.hpp"
#include "messages/work_id.hpp"
#include "partition/action.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace actorpipe {

// -- a mini-batch -------------------------------------------------------------

/// scheduler -> stage: work on this mini-batch. The stage starts when its cells
/// have weights of `version`. Whatever it still held of an earlier mini-batch
/// is dropped.
struct begin_step {
  work_id id;
  run_mode mode = run_mode::train;
  std::int64_t step = 0;    ///< the training step that layers draw numbers for
  std::int64_t version = 0; ///< of the weights: the number of updates made
  double normalizer = 1;    ///< counted targets of the whole mini-batch
  std::vector<sample_range> micro_batches;
  program actions; ///< of this stage
};

/// Stands before a `payload` with one tensor: producer of an edge -> consumer.
/// scheduler -> first stage: a micro-batch's inputs; scheduler -> last stage:
/// its targets; stage -> next stage: activations. With `gradient`: stage ->
/// previous stage: the gradient with respect to what came over the edge. The
/// receiver has granted a credit for it.
struct edge_data {
  work_id id;
  std::uint32_t micro_batch = 0;
  std::uint32_t edge = 0; ///< index into the plan's edges
  bool gradient = false;  ///< against the edge's direction
};

/// consumer of an edge -> producer: the action that takes this micro-batch's
/// tensor of the edge has started, one more may be sent.
struct credit {
  work_id id;
  std::uint32_t micro_batch = 0;
  std::uint32_t edge = 0;
  bool gradient = false;
};

/// stage -> parameter: stands before a `payload` with the accumulated gradients
/// of `cell`'s uses of the receiver's parameters, in layer order, and, when the
/// cell is the receiver's own, the summed contributions to its states. The
/// receiver owns them.
struct accumulated {
  work_id id;
  std::uint32_t cell = 0;
  std::int64_t samples = 0; ///< B
};

/// When an action ran, in nanoseconds of the stage's monotonic clock.
struct action_record {
  action what;
  std::int64_t ready_ns = 0; ///< when the action before it had ended
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// stage -> scheduler: everything of the program is done, in this order.
struct finished {
  work_id id;
  std::uint32_t stage = 0;
  std::vector<action_record> executed;
  /// Sum of the losses per micro-batch; from the stage of the last cell.
  std::vector<double> loss_sums;
};

/// parameter -> scheduler: all uses' gradients are here and added. Nothing has
/// been applied.
struct prepared {
  work_id id;
  std::uint32_t cell = 0;
  /// Per parameter of the cell, in model order; not finite when a gradient is
  /// not.
  std::vector<double> sums_of_squares;
};

/// scheduler -> parameter: make version `version` beside the present one.
struct apply_update {
  work_id id;
  std::int64_t version = 0; ///< to be made: the number of updates then
  double learning_rate = 0;
  double gradient_scale = 1; ///< the clip factor
};

/// parameter -> stage: stands before a `payload` with the read-only weights of
/// version `version` that `user` reads of the parameters of `owner`, in layer
/// order, then, when both are the same cell, the states. Of what an owner has
/// sent in the present attempt the latest edition is valid, in whatever order
/// editions arrive.
struct weights {
  std::uint64_t run = 0;
  std::uint64_t attempt = 0;
  std::uint64_t edition = 0; ///< counts what the owner has published, from 1
  std::int64_t version = 0;
  std::uint32_t owner = 0; ///< cell
  std::uint32_t user = 0;  ///< cell
};

/// parameter -> scheduler: the version is made and sent to all who read it.
struct applied {
  work_id id;
  std::uint32_t cell = 0;
};

/// scheduler -> parameter: every cell has the new version; the one before may
/// be released.
struct committed {
  work_id id;
};

/// anyone -> scheduler: this mini-batch cannot be completed. The sender does
/// nothing more for it.
struct failed {
  work_id id;
  error_code code = error_code::layer_failed;
  std::string text; ///< names stage, layer, action
};

/// scheduler -> stage, parameter: drop everything of earlier attempts and
/// return to `version`. Answered with `abandoned`.
struct abandon {
  std::uint64_t run = 0;
  std::uint64_t attempt = 0; ///< the new one
  std::int64_t version = 0;
};

/// stage, parameter -> scheduler: done so.
struct abandoned {
  std::uint64_t run = 0;
  std::uint64_t attempt = 0;
  std::string who; ///< such as "stage 2"
};

/// stage -> itself: run the next action, after the messages that are waiting.
struct run_next {};

// -- requests to the scheduler ------------------------------------------------

/// user -> scheduler: stands before a `local_batch`: train on it.
struct train_request {
  std::int64_t step = 0; ///< names the step for what layers draw
  double learning_rate = 0;
  double max_norm = 0; ///< 0: no clipping
};

/// user -> scheduler: stands before a `local_batch`: its loss, forward only.
struct evaluate_request {
  std::uint32_t micro_batches = 0; ///< 0: as many as the plan has
};

/// What one mini-batch gave.
struct step_report {
  double loss = 0;          ///< mean over counted targets
  std::int64_t targets = 0; ///< counted
  double gradient_norm = 0; ///< global, before clipping; 0 in evaluation
  double clip_factor = 1;
  std::int64_t updates = 0;     ///< made so far: the version now
  double bubble = 0;            ///< measured: idle share of stages x makespan
  std::int64_t duration_ns = 0; ///< from the request to the commit
  /// Per stage, what ran when.
  std::vector<std::vector<action_record>> timeline;
};

/// Why a mini-batch was abandoned. Nothing has changed.
struct step_failure {
  error_code code = error_code::layer_failed;
  std::string text;
};

/// scheduler -> user: the answer to either request; given once.
struct step_outcome {
  bool ok = false;
  step_report report;   ///< when ok
  step_failure failure; ///< when not
};

// -- values -------------------------------------------------------------------

/// pipeline -> parameter: answer with the present version (`cell_values`).
struct get_values {};

/// pipeline -> scheduler: every parameter actor has been given version
/// `version`, as after loading a checkpoint. Answered with whether no
/// mini-batch was being worked on.
struct set_version {
  std::int64_t version = 0;
};

} // namespace actorpipe
