// SPDX-License-Identifier: Apache-2.0
/// What a parameter actor does, without the actor: owns the versions of one
/// cell's parameters and states.
#pragma once

#include "actors/parameter_layout.hpp"
#include "actors/shard_values.hpp"
#include "compute/device/device.hpp"
#include "compute/model/model.hpp"
#include "compute/optim/optimizer.hpp"
#include "messages/messages.hpp"
#include "messages/payload.hpp"
#include "partition/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace actorpipe {

/// What a parameter actor is made from.
struct parameter_options {
  std::uint32_t cell = 0; ///< the owner
  std::uint64_t run = 0;
  std::uint64_t seed = 0;
  std::shared_ptr<const model> source;
  std::shared_ptr<const optimizer> rule;
  std::shared_ptr<const plan> how;
  std::shared_ptr<const parameter_layout> layout;
  std::shared_ptr<device> where;
  std::shared_ptr<memory_account> holder; ///< charged for all versions
};

/// Versions are immutable once made. The next is made beside the present one,
/// which is released when the scheduler says that every cell has the next.
/// Used by one thread at a time.
class parameter_core {
public:
  /// Where messages go.
  class outbox {
  public:
    virtual ~outbox() = default;
    /// To the stage that runs the cell `header.user`.
    virtual void send(const weights& header, payload data) = 0;
    virtual void send(prepared message) = 0;
    virtual void send(const applied& message) = 0;
    /// To whom the scheduler's feed is, as its purpose says.
    virtual void send(const shard& header, payload data) = 0;
    virtual void send(const installed& message) = 0;
    virtual void send(abandoned message) = 0;
    virtual void send(failed message) = 0;
  };

  /// Makes version 0 from the seed. `out` outlives this. Throws what the
  /// device throws.
  parameter_core(parameter_options options, outbox& out);

  /// Sends the present version to everyone who reads it.
  void publish();

  void accept(const accumulated& header, payload data);
  void accept(const apply_update& message);
  void accept(const committed& message);
  void accept(const abandon& message);
  void accept(const get_shard& message);
  void accept(const shard& header, payload data);

private:
  void prepare();
  void make_version(const apply_update& message);
  void forget_step();
  tensor_list on_host() const;
  tensor_list on_device(const payload& data);
  void fail(error_code code, const std::string& what);

  parameter_options options_;
  std::vector<tensor_type> types_; ///< of a shard
  outbox& out_;
  std::unique_ptr<stream> stream_;
  cell_values now_;
  event now_ready_;
  std::optional<cell_values> before_; ///< until the version is committed
  work_id current_;
  bool closed_ = false; ///< nothing more is taken for `current_`
  std::uint64_t edition_ = 0;

  std::map<std::uint32_t, payload> arrived_; ///< by user
  std::int64_t samples_ = 0;
  tensor_list gradients_; ///< per parameter, once all users' are here
  tensor_list state_sums_;
  bool prepared_ = false;
};

} // namespace actorpipe
