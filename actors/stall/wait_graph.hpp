// SPDX-License-Identifier: Apache-2.0
/// Who waits for what from whom, from where the stages say they stand.
#pragma once

#include "messages/standing.hpp"
#include "partition/plan.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace actorpipe {

/// One thing that a stage waits for, and who is to send it.
struct stage_wait {
  std::uint32_t stage = 0; ///< that waits
  missing lack;
  /// The stage that sends it; `edge::feed` for the scheduler. Of weights: the
  /// stage of the cell that owns them.
  std::uint32_t from = 0;
  /// Of `from`: at whose end the tensor is sent, at whose start the credit is.
  std::optional<action> after;
  /// `from` is past that point, so it has sent it. Of weights, which are sent
  /// before the step begins: always. Of what is fed: not known, so never.
  bool is_sent = false;
};

/// The stages' own accounts laid over the programs that they run. What does
/// not fit the plan is left out, so that an account may come from anywhere.
class wait_graph {
public:
  /// `stages` in any order; of a stage that is missing it is assumed that it
  /// has no mini-batch at hand. `how` outlives this.
  wait_graph(const plan& how, std::span<const standing> stages);

  const plan& how() const noexcept { return how_; }

  /// Per stage, with a cursor that is no longer than its program.
  const std::vector<standing>& stages() const noexcept { return stages_; }

  /// Those of the plan, or of a mini-batch with fewer micro-batches, or of an
  /// evaluation: whichever the cursors fit.
  const std::vector<program>& programs() const noexcept { return programs_; }

  /// In rising order of the stages that wait.
  const std::vector<stage_wait>& waits() const noexcept { return waits_; }

  /// Whether others work on a newer mini-batch than this stage has heard of.
  bool is_behind(std::uint32_t stage) const;

private:
  std::uint32_t stage_of(std::uint32_t cell) const;
  std::optional<stage_wait> wait_for(const standing& who,
                                     const missing& lack) const;
  void find_sender(stage_wait& x) const;
  void find_taker(const standing& who, stage_wait& x) const;
  bool has_ended(std::uint32_t stage, const action& what) const;
  bool has_started(std::uint32_t stage, const action& what) const;

  const plan& how_;
  std::vector<standing> stages_;
  work_id newest_;
  std::vector<program> programs_;
  std::vector<stage_wait> waits_;
};

} // namespace actorpipe
