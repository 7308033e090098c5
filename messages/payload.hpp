// SPDX-License-Identifier: Apache-2.0
/// Tensors on their way between two actors of one process.
#pragma once

#include "compute/data/batch.hpp"
#include "compute/device/event.hpp"
#include "compute/optim/optimizer.hpp"
#include "compute/tensor/tensor.hpp"

#include <vector>

namespace actorpipe {

/// Tensors and the event after which their values are there. Ownership moves
/// with the message: the sender no longer writes them. A payload never leaves
/// its process: in place of a message with one, CAF prints an error that names
/// it and sends an empty message.
struct payload {
  tensor_list tensors;
  event ready;
};

/// A mini-batch in the host memory of this process.
struct local_batch {
  batch data;
};

/// One version of the parameters and states that one parameter actor owns.
struct cell_values {
  std::vector<parameter_value> parameters; ///< in model order
  std::vector<tensor_list> states;         ///< per layer of the cell
  std::int64_t updates = 0;                ///< how many have made it
};

} // namespace actorpipe
