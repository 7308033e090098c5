// SPDX-License-Identifier: Apache-2.0
/// Reads tokens of either element type.
#pragma once

#include "compute/ops/index_error.hpp"
#include "compute/tensor/tensor.hpp"

#include <cstdint>

namespace actorpipe {

/// The tokens of a tensor [B, T] of u8 or i32, which it must not outlive.
class token_reader {
public:
  explicit token_reader(const tensor& tokens)
    : count_(tokens.elements()), sequence_(tokens.extents()[1]) {
    if (tokens.element() == dtype::u8)
      bytes_ = tokens.data<std::uint8_t>();
    else
      ints_ = tokens.data<std::int32_t>();
  }

  std::int64_t count() const noexcept { return count_; }
  std::int64_t sequence() const noexcept { return sequence_; }

  std::int64_t operator[](std::int64_t index) const noexcept {
    return bytes_ != nullptr ? bytes_[index] : ints_[index];
  }

  /// Throws `std::out_of_range` naming the first token outside [0, rows).
  void require_within(std::int64_t rows) const {
    for (std::int64_t i = 0; i < count_; ++i)
      if ((*this)[i] < 0 || (*this)[i] >= rows)
        throw_bad_token((*this)[i], i, sequence_, rows);
  }

private:
  const std::uint8_t* bytes_ = nullptr;
  const std::int32_t* ints_ = nullptr;
  std::int64_t count_;
  std::int64_t sequence_;
};

} // namespace actorpipe
