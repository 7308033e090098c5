// SPDX-License-Identifier: Apache-2.0
/// Checks of input types that several layers make, and the view as rows.
#pragma once

#include "compute/tensor/tensor.hpp"

#include <cstdint>
#include <vector>

namespace actorpipe {

/// The type of the single input. Throws `model_error` for any other number.
const tensor_type& single_input(const std::vector<tensor_type>& inputs);

/// The same, and it must be f32 or f64 [B, ..].
const tensor_type& floating_input(const std::vector<tensor_type>& inputs);

/// The same, and its innermost extent must be `width`: [B, .., width].
const tensor_type& floating_input(const std::vector<tensor_type>& inputs,
                                  std::int64_t width);

/// x[.., C] as [N, C]; shares memory.
tensor as_rows(const tensor& x);

} // namespace actorpipe
