// SPDX-License-Identifier: Apache-2.0
/// The closed list of what can fail in a step, and who reacts to it.
#pragma once

#include <cstdint>
#include <string_view>

namespace actorpipe {

enum class error_code : std::uint8_t {
  /// A layer, the loss or an allocation threw. The scheduler abandons the step
  /// and answers with it; the pipeline can be used again.
  layer_failed = 1,
  /// A loss or a gradient is not finite. The scheduler applies nothing and
  /// answers with it; the run loop names the last checkpoint and ends.
  not_finite,
  /// What a stage executed differs from its program, or a message does not fit
  /// the step. The scheduler refuses to commit and answers with it.
  protocol_violated,
  /// The scheduler answers a request that came while another step was running.
  busy,
  /// The batch of a request does not fit the model or the plan. The scheduler
  /// answers with it; nothing was started.
  bad_batch,
  /// An actor of the pipeline has gone and nobody replaces it. The scheduler
  /// answers every request with it from then on.
  actor_lost,
  /// A fault was survived, and the parameters are those of an earlier version.
  /// Whoever drives the pipeline gives it the mini-batches since then again.
  rolled_back,
  /// Nothing has advanced for too long. The run loop tries the step again;
  /// over nodes the supervisor starts a new attempt before anybody says it.
  stalled,
};

/// Such as "layer_failed".
std::string_view to_string(error_code code) noexcept;

} // namespace actorpipe
