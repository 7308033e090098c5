// SPDX-License-Identifier: Apache-2.0
/// The rules by which devices run programs, without any device.
#pragma once

#include "partition/action.hpp"
#include "partition/shape.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace actorpipe {

/// How long each kind of action takes on one cell.
struct cell_durations {
  double forward_s = 0;
  double recompute_s = 0;
  double backward_s = 0;
  double input_gradient_s = 0;
  double weight_gradient_s = 0;
  double update_s = 0;
};

/// The duration of an action of that kind.
double duration_s(const cell_durations& cell, action_kind kind) noexcept;

struct action_time {
  double start_s = 0;
  double end_s = 0;
};

/// The action at which a device stopped for ever, and the first thing that it
/// waits for: a tensor, or a credit for one.
struct blocked_action {
  std::uint32_t device = 0;
  std::size_t position = 0; ///< in the program of the device
  std::uint32_t edge = 0;   ///< id
  bool gradient = false;    ///< of the edge; else its activation
  bool credit = false;      ///< for the tensor; else the tensor itself
};

struct execution {
  /// Per device, as far as its program ran.
  std::vector<std::vector<action_time>> times;
  /// In rising order of devices; empty if every program ran to its end.
  std::vector<blocked_action> blocked;
};

/// Runs `programs`, one a device, from time 0.
///
/// A device runs its program in order. `F` takes the activation of every edge
/// into its cell and writes every edge out of it. `B` and `I` take the
/// gradient of every edge out of their cell that needs one, and write those of
/// the edges into it. Other kinds take and write nothing. An action starts
/// when the device is free, all that it takes has arrived, and every edge that
/// it writes has a credit, counted apart for activations and gradients. The
/// credit is gone from then on until an action that takes a tensor of that
/// edge starts. What an action writes arrives `latency_s` after its end. The
/// feed sends micro-batches in the order of the forwards of the receiving
/// cell, as soon as there is a credit, and takes no time.
///
/// When programs stop does not depend on durations: each edge has one writer
/// and one reader, and each of them has a fixed order.
///
/// Requires: no action of an unknown cell or micro-batch, and none twice.
/// `durations` has K entries or none, `latency_s` one for each edge or none;
/// none means zero. Time and memory: O(actions), for a bounded number of edges
/// a cell.
execution execute(std::span<const program> programs,
                  const pipeline_shape& shape,
                  std::span<const cell_durations> durations = {},
                  std::span<const double> latency_s = {});

} // namespace actorpipe
