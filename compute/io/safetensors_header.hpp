// SPDX-License-Identifier: Apache-2.0
/// The header of a safetensors file, from and to its JSON.
#pragma once

#include "compute/io/safetensors.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace actorpipe {

struct safetensors_header {
  /// Offsets count from the end of the header.
  std::vector<safetensors_file::entry> entries;
  safetensors_metadata metadata;
};

/// The JSON text, filled up with blanks so that the tensors behind it and the
/// eight bytes before it are aligned to eight. Throws `std::invalid_argument`.
std::string print_safetensors_header(const safetensors_header& header);

/// The inverse, entries in the order of their bytes. Throws `format_error`
/// unless the entries fill `data_bytes` without a gap.
safetensors_header parse_safetensors_header(std::string_view json,
                                            std::uint64_t data_bytes);

} // namespace actorpipe
