// SPDX-License-Identifier: Apache-2.0
/// Tensors on their way between two actors of one process.
#pragma once

#include "compute/data/batch.hpp"
#include "compute/device/event.hpp"
#include "compute/tensor/tensor.hpp"
#include "compute/train/model_values.hpp"
#include "messages/messages.hpp"

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

/// The values of a whole model, in host memory.
struct local_values {
  model_values all;
};

/// The answer to `get_values` and `set_values`; given once.
struct values_outcome {
  bool ok = false;
  model_values all;     ///< when ok, for `get_values`
  step_failure failure; ///< when not
};

} // namespace actorpipe
