// SPDX-License-Identifier: Apache-2.0
/// Follows the waits of a pipeline's stages to their ends.
#include "actors/stall/stall_cause.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace actorpipe {

namespace {

using state = standing::state;
using kind = stall_cause::kind;

class cause_finder {
public:
  cause_finder(const wait_graph& graph, const stall_reading& reading,
               std::int64_t lost_after_ns)
    : graph_(graph), reading_(reading), lost_after_ns_(lost_after_ns) {}

  // Every wait leads to a stage that waits itself or is an end, so that it is
  // enough to look at each stage alone. Without any end there is a circle.
  std::vector<stall_cause> run() {
    for (const auto& x : graph_.stages())
      look_at(x);
    for (const auto& x : graph_.waits())
      look_at(x);
    if (causes_.empty())
      causes_.push_back(graph_.waits().empty() ? beyond_stages() : circle());
    std::ranges::stable_sort(causes_, {}, &stall_cause::what);
    return std::move(causes_);
  }

private:
  bool is_silent(std::uint32_t stage) const {
    return lost_after_ns_ > 0 && stage < reading_.silent_ns.size()
        && reading_.silent_ns[stage] >= lost_after_ns_;
  }

  bool is_at_work() const {
    return std::ranges::any_of(graph_.stages(), [](const standing& x) {
      return x.how == state::computing || x.how == state::waiting;
    });
  }

  void look_at(const standing& x) {
    if (is_silent(x.stage))
      return add(kind::silent, x.stage,
                 x.how == state::computing ? std::optional(x.next)
                                           : std::nullopt);
    if (x.how == state::computing)
      return add(kind::computing, x.stage, x.next);
    // Where nobody works, a stage that was left out is no cause.
    if (graph_.is_behind(x.stage) || (x.how == state::idle && is_at_work()))
      return add(kind::not_started, x.stage, std::nullopt);
    if (x.how == state::failed)
      return add(kind::failed, x.stage, failed_at(x));
    if (x.how == state::waiting && waits_of(x.stage).empty())
      return add(kind::not_started, x.stage, x.next);
  }

  void look_at(const stage_wait& x) {
    const auto is_fed = x.from == edge::feed;
    if (is_silent(x.stage) || (!is_fed && (!x.is_sent || is_silent(x.from))))
      return;
    causes_.push_back(
      {is_fed ? kind::feed : kind::lost, x.stage, std::nullopt, x, {}});
  }

  // Empty: behind its last action.
  std::optional<action> failed_at(const standing& x) const {
    if (x.cursor >= graph_.programs()[x.stage].size())
      return std::nullopt;
    return x.next;
  }

  void add(kind what, std::uint32_t stage, std::optional<action> doing) {
    causes_.push_back({what, stage, doing, std::nullopt, {}});
  }

  std::span<const stage_wait> waits_of(std::uint32_t stage) const {
    const auto found =
      std::ranges::equal_range(graph_.waits(), stage, {}, &stage_wait::stage);
    return {found.begin(), found.end()};
  }

  stall_cause beyond_stages() const {
    stall_cause result;
    if (!reading_.awaited_cells.empty()) {
      result.what = kind::parameters;
      result.members = reading_.awaited_cells;
    }
    return result;
  }

  stall_cause circle() const {
    std::vector<std::uint32_t> path{graph_.waits().front().stage};
    for (;;) {
      const auto onward = waits_of(path.back());
      if (onward.empty()) // accounts that contradict each other
        return beyond_stages();
      const auto next = onward.front().from;
      const auto seen = std::ranges::find(path, next);
      if (seen != path.end())
        return {kind::deadlock, next, {}, {}, {seen, path.end()}};
      path.push_back(next);
    }
  }

  const wait_graph& graph_;
  const stall_reading& reading_;
  std::int64_t lost_after_ns_;
  std::vector<stall_cause> causes_;
};

} // namespace

std::vector<stall_cause> find_causes(const wait_graph& graph,
                                     const stall_reading& reading,
                                     std::int64_t lost_after_ns) {
  return cause_finder(graph, reading, lost_after_ns).run();
}

} // namespace actorpipe
