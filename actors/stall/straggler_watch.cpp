// SPDX-License-Identifier: Apache-2.0
/// Compares each stage's busy time with the plan and with the other stages.
#include "actors/stall/straggler_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace actorpipe {

namespace {

constexpr double ratio = 2;
constexpr std::size_t steps_in_a_row = 3;
constexpr double least_lost_s = 0.1;

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::ranges::sort(values);
  const auto half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half]
                                : (values[half - 1] + values[half]) / 2;
}

// What a stage did in one step; a half for either half of a backward. Times are
// of the action in the middle: one that was held up by something else on the
// machine does not make a straggler.
struct busy_time {
  double forwards = 0;
  double forward_s = 0; ///< of all
  double backwards = 0;
  double backward_s = 0;
};

busy_time busy_time_of(const std::vector<action_record>& executed) {
  std::vector<double> forward_s;
  std::vector<double> backward_s;
  busy_time result;
  for (const auto& x : executed) {
    const auto length_s = 1e-9 * static_cast<double>(x.end_ns - x.start_ns);
    switch (x.what.kind) {
    case action_kind::forward:
    case action_kind::recompute:
      result.forwards += 1;
      forward_s.push_back(length_s);
      break;
    case action_kind::backward:
      result.backwards += 1;
      backward_s.push_back(length_s);
      break;
    case action_kind::input_gradient:
    case action_kind::weight_gradient:
      result.backwards += 0.5;
      backward_s.push_back(2 * length_s);
      break;
    case action_kind::update:
      break;
    }
  }
  result.forward_s = result.forwards * median(std::move(forward_s));
  result.backward_s = result.backwards * median(std::move(backward_s));
  return result;
}

// Two or three figures.
std::string milliseconds(double seconds) {
  const auto ms = 1e3 * seconds;
  return fmt::format("{:.{}f} ms", ms, ms < 0.1 ? 4 : ms < 1 ? 3 : 1);
}

} // namespace

straggler_watch::straggler_watch(std::vector<planned_times> planned) {
  for (const auto& x : planned)
    stages_.push_back({x, {}, false});
}

std::vector<std::string>
straggler_watch::add(const std::vector<std::vector<action_record>>& timeline) {
  if (stages_.size() < 2 || timeline.size() != stages_.size())
    return {};
  std::vector<pace> paces;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const auto busy = busy_time_of(timeline[s]);
    const auto& planned = stages_[s].planned;
    auto& now = paces.emplace_back();
    now.forward_s = busy.forward_s / busy.forwards;
    now.backward_s = busy.backward_s / busy.backwards;
    now.planned_s =
      busy.forwards * planned.forward_s + busy.backwards * planned.backward_s;
    now.slowness = (busy.forward_s + busy.backward_s) / now.planned_s;
    if (!std::isfinite(now.slowness) || now.slowness <= 0)
      return {};
  }
  std::vector<std::string> result;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    std::vector<double> others;
    for (std::size_t i = 0; i < paces.size(); ++i)
      if (i != s)
        others.push_back(paces[i].slowness);
    auto& now = paces[s];
    now.others = median(std::move(others));
    now.lost_s = (now.slowness - now.others) * now.planned_s;
    now.is_slow = now.slowness >= ratio * now.others;
    auto& past = stages_[s];
    past.last.push_back(now);
    if (past.last.size() > steps_in_a_row)
      past.last.pop_front();
    if (past.last.size() < steps_in_a_row)
      continue;
    if (std::ranges::none_of(past.last, &pace::is_slow))
      past.is_named = false;
    if (past.is_named || !is_straggler(past))
      continue;
    past.is_named = true;
    result.push_back(describe(s, past));
  }
  return result;
}

bool straggler_watch::is_straggler(const history& x) {
  double lost_s = 0;
  for (const auto& step : x.last)
    lost_s += step.lost_s;
  return lost_s >= least_lost_s && std::ranges::all_of(x.last, &pace::is_slow);
}

std::string straggler_watch::describe(std::size_t stage, const history& x) {
  double times = 0;
  double forward_s = 0;
  double backward_s = 0;
  double others = 0;
  for (const auto& step : x.last) {
    times += step.slowness / step.others / steps_in_a_row;
    forward_s += step.forward_s / steps_in_a_row;
    backward_s += step.backward_s / steps_in_a_row;
    others += step.others / steps_in_a_row;
  }
  return fmt::format("stage {} took {:.1f}x its planned time in the last {} "
                     "steps: forward {} against {}, backward {} against {}",
                     stage, times, steps_in_a_row, milliseconds(forward_s),
                     milliseconds(others * x.planned.forward_s),
                     milliseconds(backward_s),
                     milliseconds(others * x.planned.backward_s));
}

} // namespace actorpipe
