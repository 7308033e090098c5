// SPDX-License-Identifier: Apache-2.0
/// The contract of a layer.
#pragma once

#include "compute/ops/operations.hpp"
#include "compute/ops/random_key.hpp"
#include "compute/tensor/tensor.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace actorpipe {

enum class run_mode : std::uint8_t { train, evaluate };

/// What a layer may know when it runs on one micro-batch.
struct layer_context {
  operations& ops;
  run_mode mode = run_mode::train;
  /// The forward is run again for the backward; its outputs and its untrained
  /// state are not used a second time.
  bool recomputing = false;
  /// A backward will follow with what this forward leaves. When false, nothing
  /// needs to be left in `saved`; the outputs are the same bits.
  bool saving = true;
  /// The gradient with respect to the inputs is used by somebody. When false,
  /// `backward_input` may return undefined tensors.
  bool needs_input_gradient = true;
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  /// Index within the mini-batch of the micro-batch's first sample.
  std::int64_t first_sample = 0;
  /// Names this layer among all that draw random numbers in the model: its
  /// index in the model, or `inner_layer_id` of the layer that holds it.
  std::uint64_t layer = 0;

  /// The key for what this layer draws in this step.
  random_key key() const noexcept { return make_random_key(seed, step, layer); }
};

/// Names the `index`-th layer that the layer `holder` holds. A hash, so that
/// no two layers of a model draw the same numbers however deep they are nested.
std::uint64_t inner_layer_id(std::uint64_t holder, std::size_t index) noexcept;

/// How a parameter's first values are drawn.
struct initializer {
  enum class kind : std::uint8_t { constant, normal, uniform };
  kind how = kind::constant;
  double value = 0; ///< the constant, the deviation, or the bound
};

/// A parameter as a layer uses it. Uses with one name and `tied` on all but
/// the first share one parameter, owned by the first in layer order; a second
/// use that is not `tied` is an error of the model.
struct parameter_use {
  std::string name; ///< such as "block0.attention.qkv.weight"
  shape extents;
  initializer initial;
  bool decays = true; ///< weight decay applies (matrices: yes; others: no)
  bool tied = false;
};

/// State of a layer that is not trained, such as running statistics. Each
/// micro-batch's forward returns a contribution; contributions are summed in
/// micro-batch order and committed with the version.
struct state_use {
  std::string name;
  shape extents;      ///< of the state
  shape contribution; ///< of what one micro-batch adds
  double initial = 0;
};

/// What a forward leaves for the backward of the same micro-batch. Containers
/// keep one per layer they hold in `inner`.
struct saved_state {
  tensor_list tensors;
  std::vector<saved_state> inner;
};

/// The weights and the committed state that a layer reads: one tensor for each
/// of `parameters()` and of `states()`, in order.
struct layer_weights {
  tensor_list parameters;
  tensor_list states;
};

struct layer_outputs {
  tensor_list outputs;
  /// One for each of `states()` in training, f32; empty in evaluation. Handed
  /// over: the receiver may write them.
  tensor_list contributions;
};

/// An estimate of a layer's work on the given inputs.
struct layer_cost {
  double forward_flops = 0;
  double backward_flops = 0;
  double moved_bytes = 0; ///< of one forward, read and written
};

/// Maps a list of tensors (usually one) to a list of tensors.
///
/// A layer is immutable: what belongs to a micro-batch is in `saved_state`,
/// what belongs to a step in the weights. One layer may run on several streams
/// at once. Layers compute through `operations` alone, in the element type of
/// their inputs, and hold no tensors.
///
/// Inputs, outputs and gradients of them are not written once they exist: a
/// layer may return its input, save its output, or pass a gradient through.
///
/// Whoever runs a layer compares the number and the types of what it returns
/// with what it declares.
///
/// Inputs that are not floating-point have no gradient: `backward_input`
/// returns an undefined tensor in their place, and an undefined tensor arrives
/// for outputs that are not floating-point.
class layer {
public:
  virtual ~layer() = default;

  /// The types of the outputs for inputs of the given types (with any number of
  /// samples in front). Throws `model_error` saying what was got and what is
  /// allowed.
  virtual std::vector<tensor_type>
  outputs(const std::vector<tensor_type>& inputs) const = 0;

  virtual std::vector<parameter_use> parameters() const { return {}; }
  virtual std::vector<state_use> states() const { return {}; }

  /// Computes the outputs from `x` and leaves in `saved` what the backward
  /// needs. In evaluation nothing needs to be left.
  virtual layer_outputs forward(layer_context& ctx, const tensor_list& x,
                                const layer_weights& w,
                                saved_state& saved) const = 0;

  /// Returns the gradient with respect to each input, and leaves in `saved`
  /// what `backward_weight` needs, and no more.
  virtual tensor_list backward_input(layer_context& ctx, const tensor_list& d_y,
                                     const layer_weights& w,
                                     saved_state& saved) const = 0;

  /// Adds (+=) the gradient of each of `parameters()` to `d_w`, in order.
  /// Called once after `backward_input`; `saved` is released afterwards.
  virtual void backward_weight(layer_context& ctx, tensor_list& d_w,
                               saved_state& saved) const = 0;

  /// `backward_input`, then `backward_weight`; `saved` is empty afterwards. A
  /// layer that holds others overrides it to release what they saved one by
  /// one. The results are the same bits.
  virtual tensor_list backward(layer_context& ctx, const tensor_list& d_y,
                               const layer_weights& w, tensor_list& d_w,
                               saved_state& saved) const;

  /// The state of the next version from this one's and the summed
  /// contributions of the mini-batch's `samples` samples. A layer with states
  /// overrides it.
  virtual tensor_list commit_state(operations& ops, const tensor_list& states,
                                   const tensor_list& sums,
                                   std::int64_t samples) const;

  virtual layer_cost cost(const std::vector<tensor_type>& inputs) const = 0;
};

} // namespace actorpipe
