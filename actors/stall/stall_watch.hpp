// SPDX-License-Identifier: Apache-2.0
/// Notices that a pipeline has stopped advancing, and that it goes on.
#pragma once

#include "actors/stall/stall_report.hpp"
#include "partition/plan.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace actorpipe {

struct stall_options {
  /// Nothing has advanced for so long: a stall. See `stall_limit_ns`.
  std::int64_t after_ns = 10'000'000'000;
  /// A stage not heard of for so long counts as lost; 0: none does.
  std::int64_t lost_after_ns = 0;
};

/// The longer of `given_ns` and four times the planned duration of a step, so
/// that a long action of a sound pipeline is no stall even where the plan's
/// times are estimates.
std::int64_t stall_limit_ns(std::int64_t given_ns, double planned_step_s);

/// What became of a stall.
struct stall_event {
  bool is_over = false;
  std::int64_t quiet_ns = 0; ///< for which nothing advanced
  stall_report report;       ///< unless it is over
  std::string text;          ///< for a person; without a newline at the end
};

/// Compares each reading with the one before. A pipeline advances when a stage
/// comes to another mini-batch, action or state, when somebody answers the
/// scheduler, or when another request begins; one without a request is never
/// stalled. Used by one thread at a time.
///
///     stall_watch watch(plan, {.after_ns = ..., .lost_after_ns = ...});
///     // every second:
///     if (const auto event = watch.look({now_ns, standings, silent_ns}))
///       print(event->text);
class stall_watch {
public:
  stall_watch(plan how, stall_options options);

  /// Each stall is told once, and so is its end.
  std::optional<stall_event> look(const stall_reading& now);

  /// For how long nothing had advanced at the last look; 0 without a request.
  std::int64_t quiet_ns() const noexcept { return quiet_ns_; }

private:
  plan how_;
  stall_options options_;
  std::optional<stall_reading> last_;
  std::int64_t since_ns_ = 0;
  std::int64_t quiet_ns_ = 0;
  bool is_stalled_ = false;
};

} // namespace actorpipe
