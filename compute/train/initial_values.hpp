// SPDX-License-Identifier: Apache-2.0
/// The values that training starts from.
#pragma once

#include "compute/layers/layer.hpp"
#include "compute/optim/optimizer.hpp"

#include <cstdint>

namespace actorpipe {

/// The first weights of a parameter, a function of (seed, its name), and its
/// moments, which are zero. Enqueues on `ops`.
parameter_value initial_value(const parameter_use& declaration,
                              const optimizer& how, operations& ops,
                              std::uint64_t seed);

/// The first state of each of the layer's `states()`.
tensor_list initial_states(const layer& source, operations& ops);

} // namespace actorpipe
