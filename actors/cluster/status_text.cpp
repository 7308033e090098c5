// SPDX-License-Identifier: Apache-2.0
/// Printing how a node is.
#include "actors/cluster/status_text.hpp"

#include "partition/action.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <string_view>

namespace actorpipe {

namespace {

using json = nlohmann::ordered_json;

double seconds(std::int64_t ns) {
  return 1e-9 * static_cast<double>(ns);
}

std::string_view name_of(standing::state how) {
  switch (how) {
  case standing::state::idle:
    return "idle";
  case standing::state::computing:
    return "computing";
  case standing::state::waiting:
    return "waiting";
  case standing::state::done:
    return "done";
  case standing::state::failed:
    return "failed";
  }
  return "unknown";
}

bool is_at_an_action(const standing& x) {
  return x.how == standing::state::computing
      || x.how == standing::state::waiting;
}

std::string list(const std::vector<std::uint32_t>& stages) {
  return stages.empty() ? "none" : fmt::format("{}", fmt::join(stages, ", "));
}

json as_json(const standing& x) {
  json result{{"stage", x.stage},
              {"state", name_of(x.how)},
              {"batch", x.id.batch},
              {"attempt", x.id.attempt},
              {"seconds", seconds(x.for_ns)}};
  if (is_at_an_action(x))
    result["action"] = to_string(x.next);
  return result;
}

} // namespace

std::string to_text(const node_status& status) {
  const auto& facts = status.facts;
  auto text = fmt::format(
    "node {}: {}, protocol {}, devices {}, links on port {}\n"
    "layers {}, bits {}\n",
    facts.name, facts.software, facts.protocol, fmt::join(facts.devices, ", "),
    facts.link_port, facts.registry_hash, facts.fingerprint);
  if (status.run == 0)
    return text + "free\n";
  const auto& view = status.view;
  text += fmt::format("works for run {:016x} as node {}; last word from the "
                      "trainer {:.1f} s ago\n",
                      status.run, status.index, seconds(status.silent_ns));
  for (const auto& x : status.stages)
    text += fmt::format("stage {}: {}{}{}, for {:.1f} s\n", x.stage,
                        name_of(x.how), is_at_an_action(x) ? " " : "",
                        is_at_an_action(x) ? to_string(x.next) : std::string(),
                        seconds(x.for_ns));
  text += fmt::format("the run of {}: step {}, attempt {}, {} recover{}\n",
                      view.trainer, view.version, view.attempt, view.recoveries,
                      view.recoveries == 1 ? "y" : "ies");
  for (const auto& x : view.nodes)
    text += fmt::format(
      "  {:<24} {:<9} stages {:<8} devices {}; last heartbeat {:.1f} s ago\n",
      x.address, x.state, list(x.stages), fmt::join(x.devices, ", "),
      seconds(x.silent_ns));
  return text;
}

std::string to_json(const node_status& status) {
  const auto& facts = status.facts;
  json result{{"name", facts.name},
              {"software", facts.software},
              {"protocol", facts.protocol},
              {"devices", facts.devices},
              {"link_port", facts.link_port},
              {"registry", facts.registry_hash},
              {"fingerprint", facts.fingerprint}};
  if (status.run != 0) {
    const auto& view = status.view;
    auto stages = json::array();
    for (const auto& x : status.stages)
      stages.push_back(as_json(x));
    auto nodes = json::array();
    for (const auto& x : view.nodes)
      nodes.push_back({{"address", x.address},
                       {"state", x.state},
                       {"silent_seconds", seconds(x.silent_ns)},
                       {"devices", x.devices},
                       {"stages", x.stages}});
    result["run"] = {{"id", fmt::format("{:016x}", status.run)},
                     {"index", status.index},
                     {"silent_seconds", seconds(status.silent_ns)},
                     {"trainer", view.trainer},
                     {"step", view.version},
                     {"attempt", view.attempt},
                     {"recoveries", view.recoveries},
                     {"stages", stages},
                     {"nodes", nodes}};
  }
  return result.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
}

} // namespace actorpipe
