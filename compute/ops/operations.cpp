// SPDX-License-Identifier: Apache-2.0
/// What every implementation of the operations has in common.
#include "compute/ops/operations.hpp"

namespace actorpipe {

tensor operations::make_zeros(const tensor_type& type) {
  auto result = make(type);
  fill(result, 0);
  return result;
}

} // namespace actorpipe
