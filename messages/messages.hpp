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
  program actions;         ///< of this stage
  std::uint32_t tries = 1; ///< how often the step has begun, with this time
};

/// stage -> scheduler: `begin_step` has come; its work has begun.
struct begun {
  work_id id;
  std::uint32_t stage = 0;
};

/// scheduler -> stage, parameter, keeper: an answer for `id` is missing: say
/// again what you have said last of it. Who has said nothing yet stays silent.
struct inquire {
  work_id id;
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
  std::uint32_t cell = 0;   ///< whose uses
  std::uint32_t owner = 0;  ///< the cell whose parameter actor receives it
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

/// scheduler -> parameter: every cell has what this request made; the version
/// before may be released.
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

/// scheduler -> stage, parameter, keeper: drop everything of earlier attempts
/// and return to `version`. Stages and parameter actors answer with
/// `abandoned`.
struct abandon {
  std::uint64_t run = 0;
  std::uint64_t attempt = 0; ///< the new one
  std::int64_t version = 0;
  /// The last request that every cell has completed, as in `work_id::batch`:
  /// what later ones have made does not count, whatever its version.
  std::uint64_t settled = 0;
};

/// stage, parameter -> scheduler: done so; a parameter actor has `version`.
struct abandoned {
  std::uint64_t run = 0;
  std::uint64_t attempt = 0;
  std::string who; ///< such as "stage 2"
};

/// stage -> itself: run the next action, after the messages that are waiting.
struct run_next {};

/// scheduler -> itself, at intervals: ask again for every answer that is
/// missing.
struct repeat_unanswered {};

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

/// Why a request was not met. Nothing has changed, unless the code is
/// `rolled_back`: then the parameters are those of `version`.
struct step_failure {
  error_code code = error_code::layer_failed;
  std::string text;
  std::int64_t version = 0; ///< with `rolled_back`
};

/// scheduler -> user: the answer to either request; given once.
struct step_outcome {
  bool ok = false;
  step_report report;   ///< when ok
  step_failure failure; ///< when not
};

// -- shards: all values of one cell -------------------------------------------

/// Why a shard travels.
enum class shard_purpose : std::uint8_t {
  collect = 1, ///< parameter -> scheduler: asked for by `get_shard`
  install,     ///< scheduler -> parameter: replaces every version by this one
  replica,     ///< parameter -> keeper: what version `version` is made of
  restore,     ///< keeper -> parameter: asked for by `fetch`
};

/// Stands before a `payload` with one version of one cell: per parameter in
/// model order its weight and its slots, then per layer its states. Tensors of
/// the payload are read-only.
struct shard {
  /// Of the request. Of a replica or what is restored: the present run and
  /// attempt, and the `batch` of the request that made the version; 0: the
  /// seed did.
  work_id id;
  shard_purpose purpose = shard_purpose::collect;
  std::uint32_t cell = 0;
  std::int64_t version = 0;
};

/// scheduler -> parameter: send your present version as a `shard`.
struct get_shard {
  work_id id;
};

/// parameter -> scheduler: the shard with this id is your cell's only version
/// now, and published.
struct installed {
  work_id id;
  std::uint32_t cell = 0;
};

/// keeper -> scheduler: version `version` of `cell` is kept in another process
/// than its owner's.
struct replicated {
  work_id id; ///< of the shard
  std::uint32_t cell = 0;
  std::int64_t version = 0;
};

/// parameter -> keeper: send me your replica as a `shard`, to restore.
struct fetch {
  work_id id; ///< with the `batch` that `abandon` names settled
  std::uint32_t cell = 0;
  std::int64_t version = 0;
};

// -- values, for whoever drives a pipeline in this process --------------------

/// user -> scheduler: answer with a `values_outcome`.
struct get_values {};

/// user -> scheduler: stands before `local_values`, which become the values of
/// every parameter actor. Answered with a `values_outcome` without values.
struct set_values {};

// -- recovery -----------------------------------------------------------------

/// supervisor -> scheduler: somebody is gone or unreachable. Stop what is being
/// worked on and start nothing. Answered with `halted`; repeated until then.
struct halt {
  std::uint64_t run = 0;
  std::uint64_t count = 0; ///< of halts; a lesser one is late
  std::string why;
};

/// scheduler -> supervisor: done so.
struct halted {
  std::uint64_t run = 0;
  std::uint64_t count = 0;
  std::uint64_t attempt = 0; ///< the new one, for everyone
  std::int64_t version = 0;  ///< committed last
};

/// supervisor -> scheduler: everyone is there again and you have been
/// introduced to them. Bring them to `version`, then answer whoever waits with
/// `rolled_back` and go on. Repeated until `resumed`.
struct resume {
  std::uint64_t run = 0;
  std::uint64_t attempt = 0; ///< of `halted`
  std::int64_t version = 0;
};

/// scheduler -> supervisor: everyone has that version; requests are taken.
struct resumed {
  std::uint64_t run = 0;
  std::uint64_t attempt = 0;
};

/// supervisor -> scheduler: there is no way on; answer every request with
/// `actor_lost` and this text.
struct give_up {
  std::uint64_t run = 0;
  std::string why;
};

} // namespace actorpipe
