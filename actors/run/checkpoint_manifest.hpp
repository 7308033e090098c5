// SPDX-License-Identifier: Apache-2.0
/// The manifest of a checkpoint: what is not a tensor, as JSON.
#pragma once

#include "compute/io/safetensors.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace actorpipe {

/// The format that is written; older ones are read, newer ones refused.
inline constexpr std::int64_t checkpoint_format = 1;

struct checkpoint_manifest {
  std::int64_t step = 0;
  std::int64_t updates = 0;
  std::uint64_t seed = 0;
  std::int64_t data_cursor = 0;
  std::string optimizer;
  std::string config;
  std::vector<std::string> parameters; ///< names, in model order
  std::vector<std::string> slots;      ///< names, that each of them has
  std::vector<std::string> states;     ///< names, in model order
  std::map<std::string, file_digest> files;
};

/// The JSON text ends with a sum over itself.
std::string print_manifest(const checkpoint_manifest& manifest);

/// The inverse. Throws `checkpoint_error` without a path.
checkpoint_manifest parse_manifest(std::string_view text);

} // namespace actorpipe
