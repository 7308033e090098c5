// SPDX-License-Identifier: Apache-2.0
/// What a parameter actor does, without the actor: owns the versions of one
/// cell's parameters and states.
#pragma once

#include "actors/parameter_layout.hpp"
#include "actors/shard_values.hpp"
#include "compute/device/device.hpp"
#include "compute/model/model.hpp"
#include "compute/optim/optimizer.hpp"
#include "messages/cluster_messages.hpp"
#include "messages/messages.hpp"
#include "messages/payload.hpp"
#include "partition/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
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

/// What a parameter actor is told of the others.
struct parameter_neighbours {
  std::uint64_t attempt = 0;
  bool has_keeper = false; ///< of replicas of this cell
  bool has_source = false; ///< to fetch a version from
  /// Some cell may have to return to the version before: it is kept until the
  /// next is made.
  bool keeps_version_before = false;
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
    virtual void send(const installed& message) = 0;
    /// To the keeper of this cell if it is a replica, else to the scheduler.
    virtual void send(const shard& header, payload data) = 0;
    /// To the source of this cell.
    virtual void send(const fetch& message) = 0;
    virtual void send(abandoned message) = 0;
    virtual void send(failed message) = 0;
  };

  /// Makes version 0 from the seed. `out` outlives this. Throws what the
  /// device throws.
  parameter_core(parameter_options options, outbox& out);

  /// In the first attempt the present version is published then; in a later
  /// one `abandon` follows.
  void meet(const parameter_neighbours& others);

  // Messages. What comes from another process is looked at first: what does not
  // fit is answered with `failed`.
  void accept(const accumulated& header, payload data);
  void accept(const inquire& message);
  void accept(const apply_update& message);
  void accept(const committed& message);
  void accept(const abandon& message);
  void accept(const get_shard& message);
  void accept(const shard& header, const payload& data);

  /// The versions that could be returned to; none that nobody has seen yet.
  /// From then on, what was sent in earlier attempts changes nothing any more:
  /// whoever asks relies on the answer.
  inventory versions(const take_inventory& asked);

private:
  struct version {
    cell_values values;
    event ready;
    std::uint64_t made_by = 0; ///< `work_id::batch`; 0: the seed
  };
  // What the scheduler was told last of the request at hand.
  using answer =
    std::variant<std::monostate, prepared, applied, installed, failed>;

  version initial_version();
  version loaded_version(const shard& header, const payload& data);
  void prepare();
  version next_version(const apply_update& message);
  void replace(version next);
  bool return_to(const abandon& message);
  void install(const shard& header, const payload& data);
  void restore(const shard& header, const payload& data);
  /// To the stages, and to the keeper.
  void publish();

  void say(answer what);
  void repeat();
  void fail(error_code code, const std::string& what);
  void forget_step();

  parameter_options options_;
  std::vector<tensor_type> types_; ///< of a shard
  outbox& out_;
  std::unique_ptr<stream> stream_;
  parameter_neighbours others_;

  version now_;
  std::optional<version> before_;
  bool is_published_ = false;
  std::uint64_t edition_ = 0;

  std::uint64_t asked_in_ = 0; ///< attempt of the latest inventory
  work_id current_;
  answer said_;
  bool closed_ = false;  ///< no gradients are taken for `current_`
  work_id collected_;    ///< the latest `get_shard` that was answered
  abandon returning_;    ///< the latest
  bool returned_ = true; ///< as it says

  std::map<std::uint32_t, payload> arrived_; ///< by user
  std::int64_t samples_ = 0;
  tensor_list gradients_; ///< per parameter, once all users' are here
  tensor_list state_sums_;
};

} // namespace actorpipe
