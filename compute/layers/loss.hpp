// SPDX-License-Identifier: Apache-2.0
/// The contract of a loss: what follows the last layer.
#pragma once

#include "compute/layers/layer.hpp"

#include <cstdint>
#include <vector>

namespace actorpipe {

/// A loss over the outputs of the last layer and the targets.
///
/// The loss of a mini-batch is the sum over its micro-batches divided by the
/// number of counted targets in the whole mini-batch (the normaliser), so the
/// gradient does not depend on how the mini-batch was cut.
class loss_function {
public:
  virtual ~loss_function() = default;

  /// Throws `model_error` when the loss does not accept these.
  virtual void check(const std::vector<tensor_type>& outputs,
                     const tensor_type& targets) const = 0;

  /// How many targets count. Reads values: they must be on the host and done.
  virtual std::int64_t count(const tensor& targets) const = 0;

  /// Enqueues the sum of the losses of one micro-batch: a f64[1].
  virtual tensor forward(layer_context& ctx, const tensor_list& outputs,
                         const tensor& targets, saved_state& saved) const = 0;

  /// The gradient of sum / normaliser with respect to each output.
  virtual tensor_list backward(layer_context& ctx, double normalizer,
                               saved_state& saved) const = 0;
};

} // namespace actorpipe
