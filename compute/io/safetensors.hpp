// SPDX-License-Identifier: Apache-2.0
/// Files of named tensors in the safetensors format.
///
/// The format (https://github.com/huggingface/safetensors):
///
///     u64, little-endian    n, the bytes of the header
///     n bytes               a JSON object: name -> {"dtype", "shape",
///                           "data_offsets": [begin, end)}, and perhaps
///                           "__metadata__": {text: text}
///     the rest              the tensors' bytes, little-endian, row-major, one
///                           behind the other without a gap
#pragma once

#include "compute/io/file_descriptor.hpp"
#include "compute/tensor/tensor.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace actorpipe {

struct named_tensor {
  std::string name;
  tensor value; ///< in host memory, done
};

using safetensors_metadata = std::map<std::string, std::string>;

/// What a written file is known by.
struct file_digest {
  std::uint64_t size_bytes = 0;
  std::string sha256;

  friend bool operator==(const file_digest&, const file_digest&) = default;
};

/// Writes the tensors in their order, those with larger elements first so that
/// each is aligned, straight from their memory. The file appears whole (see
/// `atomic_file`). Throws `io_error`, and `std::invalid_argument` for a name
/// that stands twice, is "__metadata__" or is not UTF-8.
file_digest write_safetensors(const std::filesystem::path& path,
                              const std::vector<named_tensor>& tensors,
                              const safetensors_metadata& metadata = {});

/// An open file of tensors, of which single ones are read.
///
/// Survives any bytes: what is not a whole file of this format, or has element
/// types other than F32, F64, I32 and U8, throws `format_error`, and nothing is
/// allocated for it beyond a small multiple of the file's size.
class safetensors_file {
public:
  /// Throws `io_error` and `format_error`.
  explicit safetensors_file(const std::filesystem::path& path);

  struct entry {
    std::string name;
    tensor_type type;
    std::uint64_t begin = 0; ///< offset in the file
  };

  /// In the order of their bytes.
  const std::vector<entry>& entries() const noexcept { return entries_; }
  const safetensors_metadata& metadata() const noexcept { return metadata_; }

  /// Null when there is none of that name.
  const entry* find(std::string_view name) const noexcept;

  /// Reads one into host memory. Throws `io_error` and `format_error`.
  tensor read(const entry& what) const;

private:
  file_descriptor file_;
  std::vector<entry> entries_;
  std::map<std::string, std::size_t, std::less<>> positions_;
  safetensors_metadata metadata_;
};

} // namespace actorpipe
