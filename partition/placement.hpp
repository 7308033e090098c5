// SPDX-License-Identifier: Apache-2.0
/// Where each action of a set of programs stands.
#pragma once

#include "partition/check.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace actorpipe {

/// The position of every action in the program of its device.
class placement {
public:
  static constexpr std::uint32_t absent =
    std::numeric_limits<std::uint32_t>::max();

  /// Finds every action. Those that have no place are added to `faults`: of an
  /// unknown cell, of a cell of another device, of an unknown micro-batch, of
  /// a kind that evaluation does not have, and a second copy.
  placement(std::span<const program> programs, const pipeline_shape& shape,
            std::vector<program_fault>& faults);

  /// Of the first copy; `absent` if there is none.
  std::uint32_t position(const action& x) const noexcept {
    return x.kind == action_kind::update ? updates_[x.cell]
                                         : positions_[slot(x)];
  }

  bool has(const action& x) const noexcept { return position(x) != absent; }

private:
  std::size_t slot(const action& x) const noexcept;

  std::uint32_t micro_batches_;
  std::vector<std::uint32_t> positions_; // (K, M, kinds but U)
  std::vector<std::uint32_t> updates_;   // by cell
};

} // namespace actorpipe
