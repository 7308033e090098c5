// SPDX-License-Identifier: Apache-2.0
/// Whether anything has changed from one reading to the next.
#include "actors/stall/stall_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace actorpipe {

namespace {

constexpr double steps_of_quiet = 4;

std::string seconds(std::int64_t ns) {
  return fmt::format("{:.1f} s", 1e-9 * static_cast<double>(ns));
}

bool is_at_work(const stall_reading& x) {
  if (x.request)
    return *x.request != 0;
  return std::ranges::any_of(x.stages, [](const standing& stage) {
    return stage.how == standing::state::computing
        || stage.how == standing::state::waiting;
  });
}

bool stands_alike(const standing& a, const standing& b) {
  return a.stage == b.stage && a.id == b.id && a.how == b.how
      && a.next == b.next && a.cursor == b.cursor;
}

bool stand_alike(const stall_reading& a, const stall_reading& b) {
  return a.request == b.request && a.awaited_cells == b.awaited_cells
      && std::ranges::equal(a.stages, b.stages, stands_alike);
}

} // namespace

std::int64_t stall_limit_ns(std::int64_t given_ns, double planned_step_s) {
  const auto planned_ns = 1e9 * steps_of_quiet * planned_step_s;
  // Neither a plan without times nor one for years says how long to wait.
  if (!std::isfinite(planned_ns) || planned_ns > 1e18)
    return given_ns;
  return std::max(given_ns, static_cast<std::int64_t>(planned_ns));
}

stall_watch::stall_watch(plan how, stall_options options)
  : how_(std::move(how)), options_(options) {}

std::optional<stall_event> stall_watch::look(const stall_reading& now) {
  const auto was_quiet_ns = now.now_ns - since_ns_;
  const auto has_advanced =
    !is_at_work(now) || !last_ || !stand_alike(*last_, now);
  last_ = now;
  if (has_advanced)
    since_ns_ = now.now_ns;
  quiet_ns_ = now.now_ns - since_ns_;
  if (is_stalled_ && has_advanced) {
    is_stalled_ = false;
    return stall_event{true,
                       was_quiet_ns,
                       {},
                       fmt::format("the pipeline goes on; nothing had advanced "
                                   "for {}",
                                   seconds(was_quiet_ns))};
  }
  if (is_stalled_ || has_advanced || quiet_ns_ < options_.after_ns)
    return std::nullopt;
  is_stalled_ = true;
  auto report = make_stall_report(how_, now, options_.lost_after_ns);
  auto text = fmt::format("nothing has advanced for {}\n{}", seconds(quiet_ns_),
                          report.text);
  text.pop_back();
  return stall_event{false, quiet_ns_, std::move(report), std::move(text)};
}

} // namespace actorpipe
