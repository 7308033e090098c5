// SPDX-License-Identifier: Apache-2.0
/// Whether programs are complete, ordered and free of deadlock.
#pragma once

#include "partition/action.hpp"
#include "partition/shape.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace actorpipe {

/// One thing that is wrong with a program.
struct program_fault {
  std::uint32_t device = 0;
  /// In the program of the device. For an action that is missing, where it
  /// should stand at the latest; the program's length if that is its end.
  std::size_t position = 0;
  action what; ///< the faulty or missing action
  /// A clause for a person, such as "1B0 comes before its forward".
  std::string sentence;
};

/// The most that a device stashes at a time, in pairs of cell and micro-batch.
/// A pair is stashed from its `F` until its `B` or `W` is done: by the tensors
/// at the boundary of the cell before a recompute, in full otherwise.
struct device_stash {
  std::uint32_t micro_batches = 0;
  std::uint32_t in_full = 0;  ///< peak of those in full alone
  std::uint32_t boundary = 0; ///< peak of those by the boundary alone
};

struct check_report {
  /// By device and position. Deadlocks are looked for, and the members below
  /// are filled, only if there is no other fault.
  std::vector<program_fault> faults;
  std::vector<device_stash> stash; ///< per device
  /// Every cell adds its weight gradients in the order 0..M-1.
  bool weight_gradients_in_order = false;
  /// Every update follows all other actions of its device, so that it may
  /// wait for the whole pipeline.
  bool updates_last = false;

  bool ok() const noexcept { return faults.empty(); }
};

/// Checks one program a device against the rules below. In training, each cell
/// runs every micro-batch once forward and once backward, by `B` or by `I` and
/// later `W`; an `R` stands, at most once, directly before its `B` or `I`; one
/// `U` with micro-batch 0 follows every weight gradient of the cell. In
/// evaluation there is one `F` for each pair and nothing else. Run by the rules
/// of `execute`, every program comes to its end.
///
/// Throws `std::invalid_argument` for a shape that has no meaning: an edge or
/// a device that is not there. Time and memory: O(cells * micro-batches).
check_report check(std::span<const program> programs,
                   const pipeline_shape& shape);

/// The faults, one a line, each with device and position.
std::string to_string(std::span<const program_fault> faults);

} // namespace actorpipe
