// SPDX-License-Identifier: Apache-2.0
/// Who owns which parameter and who reads it, for one cut of a model.
#pragma once

#include "compute/model/model.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace actorpipe {

/// A parameter has one owner, the cell of its first use; other cells may read
/// it too (tied weights). Cells that own or read nothing of each other exchange
/// nothing, except that a cell always counts as a user of its own.
class parameter_layout {
public:
  /// A parameter of an owner: its place in `model::parameters()`.
  using owned = std::size_t;

  /// A use by a cell: where it is, and which parameter of the owner it reads.
  struct use {
    std::size_t layer;   ///< within the user's cell
    std::size_t index;   ///< among the layer's `parameters()`
    std::size_t ordinal; ///< among the owner's parameters
  };

  /// `cut` has K + 1 entries, as in `plan::cut`.
  parameter_layout(const model& source, std::span<const std::size_t> cut);

  std::uint32_t cells() const noexcept {
    return static_cast<std::uint32_t>(owned_.size());
  }

  /// In model order.
  const std::vector<owned>& owned_by(std::uint32_t owner) const {
    return owned_[owner];
  }

  /// The uses by `user` of parameters of `owner`, in layer order.
  const std::vector<use>& uses(std::uint32_t owner, std::uint32_t user) const {
    return uses_[owner][user];
  }

  /// Cells that use a parameter of `owner`, and `owner` itself; ascending.
  std::vector<std::uint32_t> users_of(std::uint32_t owner) const;

  /// Cells whose parameters `user` uses, and `user` itself; ascending.
  std::vector<std::uint32_t> owners_of(std::uint32_t user) const;

private:
  std::vector<std::vector<owned>> owned_;
  std::vector<std::vector<std::vector<use>>> uses_; ///< [owner][user]
};

} // namespace actorpipe
