// SPDX-License-Identifier: Apache-2.0
/// Stages onto the devices of nodes.
#include "partition/seating.hpp"

#include <algorithm>
#include <cstddef>

namespace actorpipe {

namespace {

// Which devices are taken, by node.
class occupancy {
public:
  explicit occupancy(std::span<const std::uint32_t> devices) {
    for (const auto count : devices)
      taken_.emplace_back(count, false);
  }

  bool is_free(const seat& x) const {
    return x.node < taken_.size() && x.device < taken_[x.node].size()
        && !taken_[x.node][x.device];
  }

  void take(const seat& x) { taken_[x.node][x.device] = true; }

  std::optional<seat> free_device(std::uint32_t node) const {
    if (node >= taken_.size())
      return std::nullopt;
    const auto found = std::ranges::find(taken_[node], false);
    if (found == taken_[node].end())
      return std::nullopt;
    return seat{node, static_cast<std::uint32_t>(found - taken_[node].begin())};
  }

  bool is_unused(std::uint32_t node) const {
    return std::ranges::find(taken_[node], true) == taken_[node].end();
  }

  std::uint32_t nodes() const {
    return static_cast<std::uint32_t>(taken_.size());
  }

private:
  std::vector<std::vector<bool>> taken_;
};

std::optional<seat> find_room(const occupancy& all, bool prefers_unused) {
  for (const bool only_unused : {true, false}) {
    if (only_unused && !prefers_unused)
      continue;
    for (std::uint32_t node = 0; node < all.nodes(); ++node)
      if (!only_unused || all.is_unused(node))
        if (const auto found = all.free_device(node))
          return found;
  }
  return std::nullopt;
}

} // namespace

std::optional<std::vector<seat>> seat_stages(const seating_request& request) {
  occupancy all(request.devices);
  std::vector<seat> result(request.stages);
  const auto seat_at = [&](std::uint32_t stage, const seat& where) {
    result[stage] = where;
    all.take(where);
  };
  bool runs = false;
  for (std::uint32_t i = 0; i < request.present.size(); ++i)
    if (all.is_free(request.present[i])) {
      seat_at(i, request.present[i]);
      runs = true;
    }
  for (std::uint32_t i = 0; i < request.wished.size(); ++i)
    if (result[i].node == no_node)
      if (const auto found = all.free_device(request.wished[i]))
        seat_at(i, *found);
  for (std::uint32_t i = 0; i < request.stages; ++i)
    if (result[i].node == no_node) {
      const auto found = find_room(all, runs);
      if (!found)
        return std::nullopt;
      seat_at(i, *found);
    }
  return result;
}

std::vector<std::uint32_t>
choose_keepers(std::span<const seat> seats,
               std::span<const std::uint32_t> devices,
               std::span<const std::vector<std::uint32_t>> holders) {
  const auto nodes = static_cast<std::uint32_t>(devices.size());
  std::vector<std::uint32_t> result;
  for (std::size_t stage = 0; stage < seats.size(); ++stage) {
    const auto own = seats[stage].node;
    const auto can_keep = [&](std::uint32_t node) {
      return node != own && node < nodes && devices[node] > 0;
    };
    auto chosen = no_node;
    for (std::uint32_t step = 1; step < nodes && chosen == no_node; ++step)
      if (can_keep((own + step) % nodes))
        chosen = (own + step) % nodes;
    if (stage < holders.size()) {
      const auto held = std::ranges::find_if(holders[stage], can_keep);
      if (held != holders[stage].end())
        chosen = *held;
    }
    result.push_back(chosen);
  }
  return result;
}

} // namespace actorpipe
