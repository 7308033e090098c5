// SPDX-License-Identifier: Apache-2.0
/// Credits and arrivals of edges.
#include "actors/edge_traffic.hpp"

#include <cassert>
#include <utility>

namespace actorpipe {

void edge_traffic::reset(std::span<const edge> edges) {
  bounds_.clear();
  credits_.clear();
  waiting_.clear();
  arrived_.clear();
  taken_.clear();
  sent_.clear();
  credited_.clear();
  for (std::uint32_t id = 0; id < edges.size(); ++id) {
    bounds_.push_back(edges[id].credits);
    credits_[{id, false}] = edges[id].credits;
    credits_[{id, true}] = edges[id].credits;
  }
}

edge_traffic::arrival edge_traffic::accept(const edge_data& header,
                                           payload data) {
  if (header.edge >= bounds_.size())
    return arrival::unknown;
  const key where{header.edge, header.gradient, header.micro_batch};
  if (arrived_.contains(where) || taken_.contains(where))
    return arrival::repeated;
  auto& waiting = waiting_[{header.edge, header.gradient}];
  if (waiting >= bounds_[header.edge])
    return arrival::beyond_bound;
  ++waiting;
  arrived_.emplace(where, std::move(data));
  return arrival::kept;
}

bool edge_traffic::has_arrived(std::uint32_t edge, bool gradient,
                               std::uint32_t micro_batch) const {
  return arrived_.contains({edge, gradient, micro_batch});
}

payload edge_traffic::take(std::uint32_t edge, bool gradient,
                           std::uint32_t micro_batch) {
  auto node = arrived_.extract(key{edge, gradient, micro_batch});
  assert(!node.empty());
  taken_.insert(node.key());
  --waiting_[{edge, gradient}];
  return std::move(node.mapped());
}

bool edge_traffic::may_send(std::uint32_t edge, bool gradient) const {
  const auto found = credits_.find({edge, gradient});
  return found != credits_.end() && found->second > 0;
}

void edge_traffic::note_sent(std::uint32_t edge, bool gradient,
                             std::uint32_t micro_batch) {
  assert(may_send(edge, gradient));
  --credits_[{edge, gradient}];
  sent_.emplace(edge, gradient, micro_batch);
}

bool edge_traffic::note_credit(const credit& returned) {
  const key what{returned.edge, returned.gradient, returned.micro_batch};
  if (!sent_.contains(what))
    return false;
  if (credited_.insert(what).second)
    ++credits_[{returned.edge, returned.gradient}];
  return true;
}

} // namespace actorpipe
