// SPDX-License-Identifier: Apache-2.0
/// The text of a stall report.
#include "actors/stall/stall_report.hpp"

#include "partition/grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace actorpipe {

namespace {

using state = standing::state;
using kind = stall_cause::kind;

constexpr std::size_t most_stages_shown = 16;
constexpr std::size_t most_causes_shown = 8;

std::string seconds(std::int64_t ns) {
  return fmt::format("{:.1f} s", 1e-9 * static_cast<double>(ns));
}

std::string party(std::uint32_t stage) {
  return stage == edge::feed ? "the scheduler" : fmt::format("stage {}", stage);
}

class stall_text {
public:
  stall_text(const wait_graph& graph, const stall_reading& reading)
    : graph_(graph), reading_(reading) {}

  std::string run(const std::vector<stall_cause>& causes) const {
    std::string result;
    for (std::size_t i = 0; i < std::min(causes.size(), most_causes_shown); ++i)
      result += (i == 0 ? "cause: " : "and: ") + describe(causes[i]) + '\n';
    if (causes.size() > most_causes_shown)
      result += fmt::format("and {} more\n", causes.size() - most_causes_shown);
    const auto shown = nearest(causes.front());
    for (const auto& x : graph_.stages())
      if (std::ranges::find(shown, x.stage) != shown.end())
        result += line(x);
    if (shown.size() < graph_.stages().size())
      result += fmt::format("and {} stages further away\n",
                            graph_.stages().size() - shown.size());
    return result + grid(shown);
  }

private:
  // -- causes -----------------------------------------------------------------

  std::string describe(const stall_cause& x) const {
    switch (x.what) {
    case kind::silent:
      return fmt::format("stage {} has given no sign of life for {}{}", x.stage,
                         seconds(silence(x.stage)),
                         x.doing ? "; it was computing " + named(*x.doing)
                                 : std::string());
    case kind::failed:
      return fmt::format("stage {} failed{}, and the mini-batch was not ended",
                         x.stage,
                         x.doing ? " at " + named(*x.doing) : std::string());
    case kind::lost:
      return describe_lost(*x.wait);
    case kind::computing:
      return fmt::format("stage {} has been computing {} for {}", x.stage,
                         named(*x.doing), seconds(age(x.stage)));
    case kind::not_started:
      return x.doing
             ? fmt::format("stage {} has all that {} needs and has not "
                           "started it",
                           x.stage, named(*x.doing))
             : fmt::format("stage {} has not begun the mini-batch", x.stage);
    case kind::feed:
      return fmt::format("not fed, or lost or held up on the way to stage {}: "
                         "{}",
                         x.stage, wanted(*x.wait));
    case kind::parameters:
      return describe_awaited(x.members);
    case kind::deadlock:
      return describe_circle(x.members);
    case kind::scheduler:
      break;
    }
    return "no stage works or waits: the scheduler or the parameter actors are "
           "awaited";
  }

  std::string describe_lost(const stage_wait& x) const {
    const auto sender = x.lack.kind == missing::what::weights
                        ? "the parameters of " + placed(x.lack.edge)
                        : party(x.from);
    return fmt::format("lost or held up between {} and stage {}: {}", sender,
                       x.stage, wanted(x));
  }

  std::string describe_circle(const std::vector<std::uint32_t>& stages) const {
    std::vector<std::string> waits;
    for (std::size_t i = 0; i < stages.size(); ++i)
      waits.push_back(fmt::format("stage {} waits for stage {}", stages[i],
                                  stages[(i + 1) % stages.size()]));
    return fmt::format("deadlock: {}", fmt::join(waits, ", "));
  }

  std::string describe_awaited(const std::vector<std::uint32_t>& cells) const {
    std::vector<std::string> names;
    for (const auto cell : cells)
      if (cell < graph_.how().cells())
        names.push_back(placed(cell));
    return fmt::format("no stage works or waits: the scheduler awaits the "
                       "parameter actors or the keepers of {}",
                       fmt::join(names, ", "));
  }

  std::string placed(std::uint32_t cell) const {
    return fmt::format("cell {} (stage {})", cell,
                       graph_.how().device_of_cell[cell]);
  }

  // -- stages -----------------------------------------------------------------

  std::string line(const standing& x) const {
    auto result = fmt::format("stage {} {}, for {}", x.stage, doing(x),
                              seconds(age(x.stage)));
    if (x.stage < reading_.silent_ns.size())
      result +=
        fmt::format("; last sign of life {} ago", seconds(silence(x.stage)));
    return result + '\n';
  }

  std::string doing(const standing& x) const {
    switch (x.how) {
    case state::computing:
      return "computes " + named(x.next);
    case state::waiting:
      return waits(x);
    case state::done:
      return "is done";
    case state::failed:
      return "failed";
    case state::idle:
      break;
    }
    return "has no mini-batch at hand";
  }

  std::string waits(const standing& x) const {
    std::vector<std::string> all;
    for (const auto& wait : graph_.waits())
      if (wait.stage == x.stage)
        all.push_back(wanted(wait));
    if (all.empty())
      return fmt::format("stands at {}", to_string(x.next));
    return fmt::format("waits at {} for {}", to_string(x.next),
                       fmt::join(all, " and "));
  }

  std::string wanted(const stage_wait& x) const {
    const auto& lack = x.lack;
    if (lack.kind == missing::what::weights)
      return fmt::format("the weights of cell {} from stage {}", lack.edge,
                         x.from);
    if (lack.kind == missing::what::credit)
      return fmt::format("a credit of edge {} for {}s{} from {}", lack.edge,
                         lack.gradient ? "gradient" : "activation",
                         x.after
                           ? " (due when " + to_string(*x.after) + " starts)"
                           : std::string(),
                         party(x.from));
    return fmt::format("the {} of micro-batch {}{} from {} over edge {}",
                       content(lack), lack.micro_batch,
                       x.after ? " (" + to_string(*x.after) + ")"
                               : std::string(),
                       party(x.from), lack.edge);
  }

  std::string content(const missing& lack) const {
    const auto& crossing = graph_.how().edges[lack.edge];
    if (lack.gradient)
      return "gradient";
    if (crossing.is_target)
      return "targets";
    return crossing.from == edge::feed ? "input" : "activation";
  }

  // Such as "1F2 (layers 2 to 3)".
  std::string named(const action& x) const {
    const auto& cut = graph_.how().cut;
    if (x.cell + std::size_t{1} >= cut.size())
      return to_string(x);
    const auto first = cut[x.cell];
    const auto last = cut[x.cell + 1] - 1;
    return first == last
           ? fmt::format("{} (layer {})", to_string(x), first)
           : fmt::format("{} (layers {} to {})", to_string(x), first, last);
  }

  std::int64_t silence(std::uint32_t stage) const {
    return stage < reading_.silent_ns.size() ? reading_.silent_ns[stage] : 0;
  }

  // A stage in another process told of itself when it was last heard of.
  std::int64_t age(std::uint32_t stage) const {
    return graph_.stages()[stage].for_ns + silence(stage);
  }

  // -- the grid ---------------------------------------------------------------

  // The cause's own stage first.
  std::vector<std::uint32_t> nearest(const stall_cause& cause) const {
    std::vector<std::uint32_t> result(graph_.stages().size());
    std::iota(result.begin(), result.end(), 0U);
    const auto distance = [&](std::uint32_t stage) {
      return std::abs(static_cast<std::int64_t>(stage)
                      - static_cast<std::int64_t>(cause.stage));
    };
    std::ranges::stable_sort(result, {}, distance);
    if (result.size() > most_stages_shown)
      result.resize(most_stages_shown);
    return result;
  }

  // Marks the cursors of those at work on the mini-batch.
  std::string grid(const std::vector<std::uint32_t>& shown) const {
    std::vector<program_fault> marks;
    for (const auto stage : shown) {
      const auto& x = graph_.stages()[stage];
      if (graph_.is_behind(stage) || x.how == state::idle)
        continue;
      marks.push_back({stage, x.cursor, x.next, mark(x.how)});
    }
    const auto stand_still = std::ranges::all_of(
      marks, [](const auto& x) { return x.sentence == "done"; });
    return stand_still ? "" : to_grid(graph_.programs(), marks);
  }

  static std::string mark(state how) {
    switch (how) {
    case state::computing:
      return "computes";
    case state::waiting:
      return "waits";
    case state::failed:
      return "failed";
    default:
      return "done";
    }
  }

  const wait_graph& graph_;
  const stall_reading& reading_;
};

} // namespace

stall_report make_stall_report(const plan& how, const stall_reading& reading,
                               std::int64_t lost_after_ns) {
  const wait_graph graph(how, reading.stages);
  stall_report result;
  result.causes = find_causes(graph, reading, lost_after_ns);
  result.text = stall_text(graph, reading).run(result.causes);
  return result;
}

} // namespace actorpipe
