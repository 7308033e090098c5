// SPDX-License-Identifier: Apache-2.0
/// A copy of a tensor where the host can read it.
#pragma once

#include "compute/ops/operations.hpp"

namespace actorpipe {

/// Enqueues the copy into host memory that is charged to nobody. Its values are
/// valid once the stream's work is done.
inline tensor to_host(operations& ops, const tensor& x) {
  auto result = tensor::zeros(x.type());
  ops.copy(result, x);
  return result;
}

} // namespace actorpipe
