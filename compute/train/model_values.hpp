// SPDX-License-Identifier: Apache-2.0
/// All values of a model in one version.
#pragma once

#include "compute/model/cell.hpp"
#include "compute/model/model.hpp"
#include "compute/optim/optimizer.hpp"

#include <cstdint>
#include <vector>

namespace actorpipe {

/// All parameters and states of a model in one version, in model order.
struct model_values {
  std::vector<parameter_value> parameters; ///< as `model::parameters()`
  /// Per layer, per state of the layer.
  std::vector<tensor_list> states;
  std::int64_t updates = 0; ///< how many have made this version
};

/// The version that training starts from: a function of (model, seed).
model_values initial_values(const model& source, const optimizer& how,
                            operations& ops, std::uint64_t seed);

/// The same values as each layer of the model reads them; shares memory.
cell_weights gather_weights(const model& source, const model_values& values);

} // namespace actorpipe
