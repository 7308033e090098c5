// SPDX-License-Identifier: Apache-2.0
/// A cell: a run of consecutive layers, computed one micro-batch at a time.
#pragma once

#include "compute/model/layer_error.hpp"
#include "compute/model/model.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace actorpipe {

/// Weights and state of a cell: one element per layer of the cell.
using cell_weights = std::vector<layer_weights>;

/// What a cell keeps between the forward and the backward of a micro-batch:
/// its inputs (when it will be recomputed), or what every layer saved.
struct cell_stash {
  tensor_list inputs; ///< the boundary tensors; kept only to recompute
  std::vector<saved_state> layers;
  saved_state loss;
  /// Of what entered each of `layers`, and the loss after them.
  std::vector<std::vector<tensor_type>> types;
};

/// What every action of a step shares.
struct cell_step {
  run_mode mode = run_mode::train;
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  double normalizer = 1; ///< of the loss
};

/// Layers [first, last) of a model; the last cell also computes the loss.
///
/// Holds no tensors and no position in a step: the same object may serve many
/// streams. Every function enqueues on the stream that it is given and throws
/// `layer_error`, also for a layer that returns other tensors than it declares.
class cell {
public:
  /// Requires first <= last <= model->size().
  cell(std::shared_ptr<const model> source, std::size_t first,
       std::size_t last);

  std::size_t first() const noexcept { return first_; }
  std::size_t last() const noexcept { return last_; }
  bool has_loss() const noexcept { return last_ == source_->size(); }

  struct forward_result {
    tensor_list outputs; ///< empty in a cell with the loss when targets given
    tensor loss_sum;     ///< f64[1]; in a cell with the loss
    /// Per layer of the cell, per state: this micro-batch's contribution.
    std::vector<tensor_list> contributions;
    cell_stash stash;
  };

  /// How much the forward leaves behind.
  enum class keep : std::uint8_t { everything, inputs, nothing };

  /// Runs the layers on `x`; a caller that moves `x` in has what is not kept
  /// released at the earliest moment. `targets` is defined for a cell with the
  /// loss and undefined otherwise, or to get the last layer's outputs instead
  /// of a loss.
  forward_result forward(operations& ops, const cell_step& step, tensor_list x,
                         const tensor& targets, std::int64_t first_sample,
                         const cell_weights& w, keep what) const;

  /// Runs the forward again from the kept inputs and leaves everything that
  /// the backward needs in `stash`.
  void recompute(operations& ops, const cell_step& step, const tensor& targets,
                 std::int64_t first_sample, const cell_weights& w,
                 cell_stash& stash) const;

  /// The full backward: the gradient with respect to the inputs is returned
  /// (undefined where an input has none), the weights' gradients are added to
  /// `d_w` (per layer, per parameter). `d_y` is empty in a cell with the loss.
  /// `needs_input_gradient` is false in the model's first cell. What the stash
  /// holds is released layer by layer.
  tensor_list backward(operations& ops, const cell_step& step, tensor_list d_y,
                       std::int64_t first_sample, const cell_weights& w,
                       cell_stash& stash, std::vector<tensor_list>& d_w,
                       bool needs_input_gradient) const;

  const model& source() const noexcept { return *source_; }

private:
  forward_result run(operations& ops, const cell_step& step, tensor_list x,
                     const tensor& targets, std::int64_t first_sample,
                     const cell_weights& w, keep what, bool recomputing) const;

  std::shared_ptr<const model> source_;
  std::size_t first_;
  std::size_t last_;
};

} // namespace actorpipe
