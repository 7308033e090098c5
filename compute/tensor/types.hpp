// SPDX-License-Identifier: Apache-2.0
/// Element types, shapes and tensor types.
///
/// The legend of letters that every shape in the project is written in:
/// B batch (samples), T sequence, C channels (width), H heads, V vocabulary,
/// N rows (all leading extents multiplied), K cells, M micro-batches, L layers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace actorpipe {

/// The type of a tensor's elements. `f64` is for gradient checks: only the
/// reference operations accept it.
enum class dtype : std::uint8_t { f32, f64, i32, u8 };

/// Bytes of one element.
std::size_t size_bytes(dtype type) noexcept;

/// "f32", "f64", "i32" or "u8".
std::string_view to_string(dtype type) noexcept;

/// Whether tensors of this type carry gradients (the floating-point ones do).
bool is_differentiable(dtype type) noexcept;

/// The extents of a tensor, outermost first. A shape of rank 0 has one
/// element. Values are never negative.
class shape {
public:
  static constexpr std::size_t max_rank = 6;

  /// The most elements, and rows. A double counts them exactly, and sums of
  /// the bytes of many tensors fit an `std::int64_t`.
  static constexpr std::int64_t max_elements = std::int64_t{1} << 53;

  shape() noexcept = default;

  /// Throws `std::invalid_argument` on a negative extent, more than `max_rank`
  /// of them, or extents whose product, without those that are 0, is above
  /// `max_elements`.
  shape(std::initializer_list<std::int64_t> extents);
  explicit shape(std::span<const std::int64_t> extents);

  std::size_t rank() const noexcept { return rank_; }
  std::int64_t operator[](std::size_t axis) const { return extents_[axis]; }
  std::span<const std::int64_t> extents() const noexcept {
    return {extents_.data(), rank_};
  }

  /// The innermost extent; 1 when the rank is 0.
  std::int64_t back() const noexcept {
    return rank_ == 0 ? 1 : extents_[rank_ - 1];
  }

  /// All extents multiplied.
  std::int64_t elements() const noexcept;

  /// All extents but the innermost multiplied: N.
  std::int64_t rows() const noexcept;

  /// The same shape with another outermost extent. Throws as the constructor
  /// does, and for a rank of 0.
  shape with_front(std::int64_t extent) const;

  /// The same shape with another innermost extent. Throws as the constructor
  /// does, and for a rank of 0.
  shape with_back(std::int64_t extent) const;

  friend bool operator==(const shape&, const shape&) noexcept = default;

private:
  shape with(std::size_t axis, std::int64_t extent) const;
  void require_valid() const;

  std::array<std::int64_t, max_rank> extents_{};
  std::size_t rank_ = 0;
};

/// Such as "[4, 128, 256]".
std::string to_string(const shape& x);

/// What is known of a tensor without its values.
struct tensor_type {
  dtype type = dtype::f32;
  shape extents;

  std::int64_t size_bytes() const noexcept;
  friend bool operator==(const tensor_type&,
                         const tensor_type&) noexcept = default;
};

/// Such as "f32[4, 128, 256]".
std::string to_string(const tensor_type& x);
/// Such as "(f32[4, 256], i32[4])".
std::string to_string(const std::vector<tensor_type>& xs);

} // namespace actorpipe
