// SPDX-License-Identifier: Apache-2.0
/// The values of a model as a checkpoint names them, and back.
#pragma once

#include "actors/run/checkpoint.hpp"
#include "compute/model/model.hpp"
#include "compute/optim/optimizer.hpp"
#include "compute/train/model_values.hpp"

#include <vector>

namespace actorpipe {

/// Fills parameters, states and the number of updates of `into` from `values`,
/// which share their memory with it.
void store_values(checkpoint& into, const model& source, const optimizer& how,
                  const model_values& values);

/// The values that the checkpoint holds for this model and optimiser. Throws
/// `checkpoint_error` for a checkpoint of another one: it lists what is
/// missing, what is left over and which shapes differ.
model_values restore_values(const checkpoint& from, const model& source,
                            const optimizer& how);

/// The parameters by name, such as `parameters_sha256` takes them.
std::vector<named_tensor> named_parameters(const model& source,
                                           const model_values& values);

} // namespace actorpipe
