// SPDX-License-Identifier: Apache-2.0
/// Checks that what a layer returned is what it declared: layers are written
/// by users, and what does not fit fails far from its cause otherwise.
#pragma once

#include "compute/layers/layer.hpp"

#include <vector>

namespace actorpipe {

/// Throws `model_error` unless the outputs of a forward of `what` are of the
/// types that it declares for `inputs`, and the contributions of the shapes
/// that it declares for its states (none in evaluation). What a recompute
/// contributes is not looked at.
void require_results(const layer& what, const layer_context& ctx,
                     const std::vector<tensor_type>& inputs,
                     const layer_outputs& got);

/// Throws `model_error` unless there is one gradient for each tensor of the
/// types `of`: undefined for those that have none and, where nobody `needs`
/// them, for any; else of that type.
void require_gradients(const std::vector<tensor_type>& of,
                       const tensor_list& got, bool needs);

/// Throws `model_error` unless `got` is f64[1].
void require_loss_sum(const tensor& got);

} // namespace actorpipe
