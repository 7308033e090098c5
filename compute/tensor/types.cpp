// SPDX-License-Identifier: Apache-2.0
/// Sizes and text forms of element types, shapes and tensor types.
#include "compute/tensor/types.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace actorpipe {

std::size_t size_bytes(dtype type) noexcept {
  switch (type) {
  case dtype::f32:
  case dtype::i32:
    return 4;
  case dtype::f64:
    return 8;
  case dtype::u8:
    return 1;
  }
  return 0;
}

std::string_view to_string(dtype type) noexcept {
  switch (type) {
  case dtype::f32:
    return "f32";
  case dtype::f64:
    return "f64";
  case dtype::i32:
    return "i32";
  case dtype::u8:
    return "u8";
  }
  return "unknown";
}

bool is_differentiable(dtype type) noexcept {
  return type == dtype::f32 || type == dtype::f64;
}

shape::shape(std::initializer_list<std::int64_t> extents)
  : shape(std::span<const std::int64_t>(extents.begin(), extents.size())) {}

shape::shape(std::span<const std::int64_t> extents) : rank_(extents.size()) {
  if (extents.size() > max_rank)
    throw std::invalid_argument("a shape has at most "
                                + std::to_string(max_rank) + " extents, not "
                                + std::to_string(extents.size()));
  std::copy(extents.begin(), extents.end(), extents_.begin());
  require_valid();
}

void shape::require_valid() const {
  std::int64_t product = 1;
  for (const auto extent : extents()) {
    if (extent < 0)
      throw std::invalid_argument("a shape's extent is at least 0, not "
                                  + std::to_string(extent));
    if (extent > 0 && product > max_elements / extent)
      throw std::invalid_argument(
        "a shape has at most " + std::to_string(max_elements)
        + " elements, too few for " + to_string(*this));
    product *= std::max<std::int64_t>(extent, 1);
  }
}

std::int64_t shape::elements() const noexcept {
  return std::accumulate(extents_.begin(), extents_.begin() + rank_,
                         std::int64_t{1}, std::multiplies<>{});
}

std::int64_t shape::rows() const noexcept {
  return rank_ == 0
         ? 1
         : std::accumulate(extents_.begin(), extents_.begin() + rank_ - 1,
                           std::int64_t{1}, std::multiplies<>{});
}

shape shape::with(std::size_t axis, std::int64_t extent) const {
  if (rank_ == 0)
    throw std::invalid_argument("a shape of rank 0 has no extent to replace");
  auto result = *this;
  result.extents_[axis] = extent;
  result.require_valid();
  return result;
}

shape shape::with_front(std::int64_t extent) const {
  return with(0, extent);
}

shape shape::with_back(std::int64_t extent) const {
  return with(rank_ - 1, extent);
}

std::string to_string(const shape& x) {
  std::string result = "[";
  for (std::size_t axis = 0; axis < x.rank(); ++axis) {
    if (axis > 0)
      result += ", ";
    result += std::to_string(x[axis]);
  }
  return result + "]";
}

std::int64_t tensor_type::size_bytes() const noexcept {
  return extents.elements()
       * static_cast<std::int64_t>(actorpipe::size_bytes(type));
}

std::string to_string(const tensor_type& x) {
  return std::string(to_string(x.type)) + to_string(x.extents);
}

std::string to_string(const std::vector<tensor_type>& xs) {
  std::string result = "(";
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i > 0)
      result += ", ";
    result += to_string(xs[i]);
  }
  return result + ")";
}

} // namespace actorpipe
