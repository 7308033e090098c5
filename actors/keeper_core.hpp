// SPDX-License-Identifier: Apache-2.0
/// What a keeper actor does, without the actor: keeps replicas of cells whose
/// parameter actors live in other processes.
#pragma once

#include "actors/parameter_layout.hpp"
#include "compute/model/model.hpp"
#include "compute/optim/optimizer.hpp"
#include "messages/cluster_messages.hpp"
#include "messages/messages.hpp"
#include "messages/payload.hpp"
#include "partition/plan.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace actorpipe {

/// What a keeper is made from.
struct keeper_options {
  std::uint64_t run = 0;
  std::shared_ptr<const model> source;
  std::shared_ptr<const optimizer> rule;
  std::shared_ptr<const plan> how;
  std::shared_ptr<const parameter_layout> layout;
  std::shared_ptr<memory_account> holder; ///< charged for all replicas
};

/// Keeps the last two versions of each cell that it was sent, in the memory
/// they came in. Used by one thread at a time.
class keeper_core {
public:
  /// Where messages go.
  class outbox {
  public:
    virtual ~outbox() = default;
    virtual void send(const replicated& message) = 0;
    /// To the parameter actor of `header.cell`.
    virtual void send(const shard& header, payload data) = 0;
    virtual void send(failed message) = 0;
  };

  /// `out` outlives this.
  keeper_core(keeper_options options, outbox& out);

  // Messages. What comes from another process is looked at first: what does not
  // fit is answered with `failed`.
  void accept(const shard& header, payload data);
  void accept(const inquire& message);
  void accept(const fetch& message);
  void accept(const abandon& message);

  /// From then on, what was sent in earlier attempts changes nothing any more:
  /// whoever asks relies on the answer.
  inventory replicas(const take_inventory& asked);

private:
  struct replica {
    work_id id; ///< of its shard
    std::int64_t version;
    payload data;
  };
  struct kept_cell {
    std::vector<replica> versions; ///< the newest last
    work_id fetched;               ///< the latest `fetch` that was answered
  };

  void begin(std::uint64_t attempt);

  keeper_options options_;
  outbox& out_;
  std::uint64_t attempt_ = 0;
  std::map<std::uint32_t, kept_cell> cells_;
  std::optional<std::string> fault_; ///< of a replica of this attempt
};

} // namespace actorpipe
