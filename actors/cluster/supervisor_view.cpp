// SPDX-License-Identifier: Apache-2.0
/// What the supervisor shows of itself.
#include "actors/cluster/supervisor_core.hpp"

#include <fmt/format.h>

#include <utility>

namespace actorpipe {

cluster_view supervisor_core::view() const {
  cluster_view result;
  result.run = options_.what.run;
  result.trainer = options_.trainer;
  result.version = options_.version_now ? options_.version_now() : committed_;
  result.attempt = attempt_;
  result.recoveries = recoveries_;
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    const auto& x = members_.at(i);
    node_view next{x.address, "absent", 0, x.facts.devices, {}};
    for (std::uint32_t stage = 0; stage < seats_.size(); ++stage)
      if (seats_[stage].node == i && members_.is_present(i))
        next.stages.push_back(stage);
    if (x.how == member::state::present) {
      next.state = next.stages.empty() ? "spare" : "working";
      next.silent_ns = since(x.heard_ns);
    } else if (x.how == member::state::refused) {
      next.state = "refused";
    } else if (x.heard_ns != 0) {
      next.state = "lost";
      next.silent_ns = since(x.heard_ns);
    }
    result.nodes.push_back(std::move(next));
  }
  return result;
}

std::string supervisor_core::describe_seats() const {
  std::string result;
  for (std::size_t i = 0; i < seats_.size(); ++i)
    result += fmt::format(
      "{}stage {} on {} {}", i == 0 ? "" : ", ", i,
      members_.at(seats_[i].node).address,
      members_.at(seats_[i].node).facts.devices.at(seats_[i].device));
  return result;
}

std::string supervisor_core::describe_nodes() const {
  std::string result;
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    const auto& x = members_.at(i);
    result += "\n  node " + x.address + ": "
            + (members_.is_present(i)
                 ? std::to_string(x.facts.devices.size()) + " devices"
               : x.why.empty() ? "no answer yet"
                               : x.why);
  }
  return result;
}

} // namespace actorpipe
