// SPDX-License-Identifier: Apache-2.0
/// Makes a plan out of costs, boundaries and a schedule.
#pragma once

#include "partition/cost.hpp"
#include "partition/cut.hpp"
#include "partition/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace actorpipe {

/// A plan that cannot be run. Its message is for a person: what is wrong, and
/// the programs as a grid with the faults marked.
class plan_error : public std::invalid_argument {
public:
  using std::invalid_argument::invalid_argument;
};

/// A tensor at a boundary between layers, at its greatest.
struct boundary_tensor {
  std::string type; ///< such as "f32[4, 128, 256]"
  std::int64_t bytes = 0;
  bool needs_gradient = false;
};

struct plan_options {
  std::size_t layers = 0;  ///< L
  std::uint32_t cells = 1; ///< K, each on a device of its own
  /// Layers of each cell, K entries; empty lets the costs decide.
  std::vector<std::size_t> balance;
  /// What a cut compares: L entries, or none where `balance` is given. See
  /// `time_costs` and `size_costs`.
  std::vector<double> costs;
  cut_objective objective = cut_objective::largest;
  /// Entry i: the tensors that enter layer i; entry 0: those that are fed;
  /// entry L: those that leave the model. L + 1 entries.
  std::vector<std::vector<boundary_tensor>> boundaries;
  /// What is fed to the loss beside the output of the model.
  std::vector<boundary_tensor> targets;
  schedule_kind schedule = schedule_kind::fill_drain;
  recompute_mode recompute = recompute_mode::except_one;
  std::uint32_t micro_batches = 1; ///< M
  std::uint32_t credits = 2;       ///< of every edge
};

/// Cuts the layers, lays the edges and writes the programs; cell k is on
/// device k. Edges are in the order: the inputs, the boundaries of cells 0 and
/// 1, 1 and 2, ..., the targets. The plan has been checked. Throws
/// `std::invalid_argument` (`plan_error` where programs are at fault).
plan make_plan(const plan_options& options);

/// Throws `std::invalid_argument` (`plan_error` where programs are at fault) if
/// the schedule or the recompute mode is unknown, there is no micro-batch, or
/// none with a sample, a cell of the plan is empty, or its programs fail
/// `check`.
void require_valid(const plan& x);

} // namespace actorpipe
