// SPDX-License-Identifier: Apache-2.0
/// The bytes of a list of tensors of given types.
#pragma once

#include "compute/tensor/types.hpp"

#include <cstdint>
#include <vector>

namespace actorpipe {

inline std::int64_t total_bytes(const std::vector<tensor_type>& types) {
  std::int64_t sum = 0;
  for (const auto& type : types)
    sum += type.size_bytes();
  return sum;
}

} // namespace actorpipe
