// SPDX-License-Identifier: Apache-2.0
/// Memory that a piece needs while it is computed.
#pragma once

#include "compute/tensor/memory.hpp"

#include <cstdint>

namespace actorpipe {

/// Floats from a device's pool, charged to nobody and given back at the end of
/// the scope: after the first step, a block that is still in a near cache.
class scratch {
public:
  scratch(allocator& memory, std::int64_t count)
    : memory_(memory),
      size_bytes_(static_cast<std::size_t>(count) * sizeof(float)),
      block_(memory.allocate(size_bytes_)) {}
  ~scratch() { memory_.release(block_, size_bytes_); }

  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  float* data() noexcept { return static_cast<float*>(block_); }

private:
  allocator& memory_;
  std::size_t size_bytes_;
  void* block_;
};

} // namespace actorpipe
