// SPDX-License-Identifier: Apache-2.0
/// Rules of faults on purpose in words, and against a plan.
#include "actors/faults/fault_rules.hpp"

#include "actors/run/config.hpp"
#include "messages/cluster_messages.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace actorpipe {

namespace {

std::string process_name(std::uint32_t x) {
  return x == trainer_process ? "trainer" : std::to_string(x);
}

std::string whom(const fault_rule& x) {
  if (x.node)
    return fmt::format("node {}", *x.node);
  if (x.stage)
    return fmt::format("stage {}", *x.stage);
  return fmt::format("parameter {}", *x.parameter);
}

std::string link_name(const fault_rule& x) {
  return process_name(x.between[0]) + '-' + process_name(x.between[1]);
}

std::string what_of(const fault_rule& x) {
  switch (x.what) {
  case fault_kind::kill:
    return "kill " + whom(x);
  case fault_kind::drop_control:
    return fmt::format("drop {} % of the control messages{}",
                       100 * x.probability,
                       x.node ? " of node " + std::to_string(*x.node) : "");
  case fault_kind::delay_link:
    return fmt::format("delay link {} by {} ms +- {}", link_name(x), x.mean_ms,
                       x.jitter_ms);
  case fault_kind::cut_link:
    return fmt::format("cut link {} for {} ms", link_name(x), x.for_ms);
  case fault_kind::fail_layer:
    return fmt::format("throw in layer {}", x.layer);
  case fault_kind::flip_bit:
    return fmt::format("flip a bit in frame {} from {} to {}", x.frame,
                       process_name(x.between[0]), process_name(x.between[1]));
  case fault_kind::stall:
    return fmt::format("stall stage {} for {} ms", *x.stage, x.for_ms);
  }
  return {};
}

std::string when_of(const fault_rule& x) {
  std::string result;
  if (x.step)
    result += fmt::format(" at step {}", *x.step);
  if (x.before)
    result += " before " + to_string(*x.before);
  if (x.after)
    result += " after " + to_string(*x.after);
  if (x.first_try != 1)
    result += fmt::format(", try {}", x.first_try);
  if (x.times != 1)
    result += fmt::format(", {} times", x.times);
  return result;
}

// What a rule names and a plan lacks; empty when it is there.
class checker {
public:
  checker(const plan& how, std::uint32_t nodes) : how_(how), nodes_(nodes) {}

  std::string operator()(const fault_rule& x) const {
    if (x.node && *x.node >= nodes_)
      return none("node", *x.node, nodes_);
    if (x.stage && *x.stage >= how_.devices())
      return none("stage", *x.stage, how_.devices());
    if (x.parameter && *x.parameter >= how_.cells())
      return none("parameter", *x.parameter, how_.cells());
    if (x.what == fault_kind::fail_layer && x.layer >= how_.cut.back())
      return none("layer", x.layer, how_.cut.back());
    for (const auto process : x.between)
      if (process != trainer_process && process >= nodes_)
        return none("node", process, nodes_);
    return x.before ? action_of(x, *x.before)
         : x.after  ? action_of(x, *x.after)
                    : std::string{};
  }

private:
  static std::string none(std::string_view what, std::size_t got,
                          std::size_t count) {
    return fmt::format("there is no {} {}; there are 0 to {}", what, got,
                       count - 1);
  }

  std::string action_of(const fault_rule& x, const action& when) const {
    const auto runs = [&](const program& actions) {
      return std::ranges::find(actions, when) != actions.end();
    };
    if (std::ranges::none_of(how_.programs, runs))
      return fmt::format("no program of the plan has {}", to_string(when));
    if (x.stage && !runs(how_.programs[*x.stage]))
      return fmt::format("stage {} does not run {}", *x.stage, to_string(when));
    if (x.what == fault_kind::fail_layer
        && (x.layer < how_.cut[when.cell]
            || x.layer >= how_.cut[when.cell + 1]))
      return fmt::format("layer {} is not in cell {}", x.layer, when.cell);
    if (x.parameter
        && how_.device_of_cell[*x.parameter] != how_.device_of_cell[when.cell])
      return fmt::format("parameter {} does not live where {} runs",
                         *x.parameter, to_string(when));
    return {};
  }

  const plan& how_;
  std::uint32_t nodes_;
};

} // namespace

std::string_view to_string(fault_kind kind) noexcept {
  switch (kind) {
  case fault_kind::kill:
    return "kill";
  case fault_kind::drop_control:
    return "drop_control";
  case fault_kind::delay_link:
    return "delay_link";
  case fault_kind::cut_link:
    return "cut_link";
  case fault_kind::fail_layer:
    return "throw";
  case fault_kind::flip_bit:
    return "flip_bit";
  case fault_kind::stall:
    return "stall";
  }
  return "unknown";
}

std::string to_string(const fault_rule& x) {
  return what_of(x) + when_of(x);
}

void check_faults(const fault_rules& rules, const plan& how,
                  std::uint32_t nodes) {
  const checker check(how, nodes);
  std::vector<std::string> problems;
  for (const auto& x : rules.all)
    if (auto problem = check(x); !problem.empty())
      problems.push_back(
        fmt::format("fault \"{}\": {}", to_string(x), problem));
  if (!problems.empty())
    throw config_error(problems);
}

} // namespace actorpipe
