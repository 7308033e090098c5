// SPDX-License-Identifier: Apache-2.0
/// What has arrived over a stage's edges in this mini-batch, and what it may
/// still send.
#pragma once

#include "messages/messages.hpp"
#include "messages/payload.hpp"
#include "partition/plan.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>

namespace actorpipe {

/// Counts credits and keeps tensors until the action that takes them starts.
/// Knows nothing of actors or of what is computed.
class edge_traffic {
public:
  /// Forgets everything; every edge has all its credits again, both ways.
  void reset(std::span<const edge> edges);

  enum class arrival : std::uint8_t {
    kept,
    repeated,     ///< was here before; dropped
    beyond_bound, ///< more than the edge has credits for: the sender is wrong
    unknown,      ///< no such edge
  };

  arrival accept(const edge_data& header, payload data);

  bool has_arrived(std::uint32_t edge, bool gradient,
                   std::uint32_t micro_batch) const;

  /// Requires that it has arrived. It counts as repeated from now on.
  payload take(std::uint32_t edge, bool gradient, std::uint32_t micro_batch);

  bool may_send(std::uint32_t edge, bool gradient) const;

  /// Takes a credit. Requires `may_send`.
  void note_sent(std::uint32_t edge, bool gradient, std::uint32_t micro_batch);

  /// False when that tensor was not sent. A repeated credit changes nothing.
  bool note_credit(const credit& returned);

private:
  using way = std::pair<std::uint32_t, bool>; ///< edge, gradient
  using key = std::tuple<std::uint32_t, bool, std::uint32_t>;

  std::vector<std::uint32_t> bounds_;
  std::map<way, std::uint32_t> credits_;
  std::map<way, std::uint32_t> waiting_; ///< arrived, not yet taken
  std::map<key, payload> arrived_;
  std::set<key> taken_;
  std::set<key> sent_;
  std::set<key> credited_;
};

} // namespace actorpipe
