// SPDX-License-Identifier: Apache-2.0
/// What a node is told of a run before its stages are spawned there.
#pragma once

#include "compute/optim/optimizer.hpp"
#include "partition/plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace actorpipe {

/// Plain values alone: everything that a stage or a parameter actor is made
/// from. Equal on all nodes of a run; its `hash` says so.
struct job {
  std::uint64_t run = 0;
  std::uint64_t seed = 0;
  std::string model; ///< a `model_spec` as JSON: `to_json(model_spec)`
  optimizer_options optimizer;
  plan how;
  std::uint32_t threads_per_stage = 1;
  /// Each version of a cell is kept by a second node too.
  bool replicates = true;
  std::string faults; ///< rules of faults on purpose, as TOML; empty: none
};

/// SHA-256, in hexadecimal, of everything in `x` but `run`.
std::string hash(const job& x);

} // namespace actorpipe
