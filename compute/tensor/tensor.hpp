// SPDX-License-Identifier: Apache-2.0
/// A contiguous tensor: a handle on shared memory, a type and a shape.
#pragma once

#include "compute/tensor/memory.hpp"
#include "compute/tensor/types.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace actorpipe {

/// A contiguous, row-major tensor.
///
/// Copying a tensor copies the handle: copies and views share memory, which is
/// released with the last of them. Reading from several threads is safe;
/// whoever sends a tensor away no longer writes it.
///
/// The values are valid once the work that was enqueued to write them is done
/// (see `event`). `data()` is null on a device that only counts, so code that
/// touches values runs inside `operations::enqueue`.
class tensor {
public:
  /// An empty handle: `!defined()`.
  tensor() noexcept = default;

  /// Allocates a tensor with undefined contents, charged to `holder`. Throws
  /// `out_of_memory`.
  static tensor make(const tensor_type& type,
                     const std::shared_ptr<allocator>& source,
                     const std::shared_ptr<memory_account>& holder);

  /// A host tensor that is charged to nobody, with the given values, in order.
  /// Throws `std::invalid_argument` when their number is not the shape's.
  static tensor from(const shape& extents, const std::vector<float>& values);
  static tensor from(const shape& extents, const std::vector<double>& values);
  static tensor from(const shape& extents,
                     const std::vector<std::int32_t>& values);
  static tensor from(const shape& extents,
                     const std::vector<std::uint8_t>& values);

  /// A host tensor that is charged to nobody, zeroed.
  static tensor zeros(const tensor_type& type);

  bool defined() const noexcept { return storage_ != nullptr; }
  const tensor_type& type() const noexcept { return type_; }
  dtype element() const noexcept { return type_.type; }
  const shape& extents() const noexcept { return type_.extents; }
  std::int64_t elements() const noexcept { return type_.extents.elements(); }
  std::int64_t size_bytes() const noexcept { return type_.size_bytes(); }

  /// The first element. `T` is the element's type (float, double,
  /// std::int32_t, std::uint8_t); asserts that it is.
  template <class T>
  T* data();
  template <class T>
  const T* data() const;

  void* bytes() noexcept;
  const void* bytes() const noexcept;

  /// The part [begin, end) along the first dimension; shares memory. Throws
  /// `std::out_of_range`.
  tensor rows(std::int64_t begin, std::int64_t end) const;

  /// The same memory under another shape of as many elements. Throws
  /// `std::invalid_argument`.
  tensor reshaped(const shape& extents) const;

  /// Moves the charge for the whole memory behind this tensor to `holder`: the
  /// receiver of a tensor takes it over.
  void charge_to(const std::shared_ptr<memory_account>& holder) const;

private:
  struct storage;

  std::shared_ptr<storage> storage_;
  std::int64_t offset_bytes_ = 0;
  tensor_type type_;
};

using tensor_list = std::vector<tensor>;

/// The types of the tensors, in order.
std::vector<tensor_type> types_of(const tensor_list& xs);

} // namespace actorpipe
