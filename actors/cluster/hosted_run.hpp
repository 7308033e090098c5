// SPDX-License-Identifier: Apache-2.0
/// What a node holds of one run: its stages, parameter actors and keeper.
#pragma once

#include "actors/cluster/post_office.hpp"
#include "actors/faults/fault_injector.hpp"
#include "actors/parameter_layout.hpp"
#include "actors/pipeline_parts.hpp"
#include "actors/stage_core.hpp"
#include "actors/standing_board.hpp"
#include "compute/device/device.hpp"
#include "compute/layers/layer_registry.hpp"
#include "compute/model/model.hpp"
#include "compute/optim/optimizer.hpp"
#include "messages/actor_types.hpp"

#include <caf/fwd.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace actorpipe {

/// How a node spawns what it is told to.
struct hosting {
  layer_registry registry;
  /// The device of that index among the node's, with so many threads.
  std::function<std::shared_ptr<device>(std::uint32_t index,
                                        std::size_t threads)>
    make_device;
  /// Each actor has a thread of its own.
  bool detached = true;
  std::function<std::int64_t()> now_ns; ///< monotonic
  /// For faults on purpose: how they are made; see `fault_means`.
  std::function<void()> kill;
  std::function<void(std::chrono::nanoseconds)> wait;
  /// Told of what happens, for people; called from any thread.
  std::function<void(const std::string&)> log;
};

/// Spawns actors and ends them, with itself at the latest. Used by the node
/// actor alone.
class hosted_run {
public:
  /// Builds the model of `what`. Throws `model_error` and the like for what
  /// this node cannot build.
  hosted_run(caf::actor_system& system, const hosting& how,
             std::shared_ptr<const job> what, std::uint32_t process);
  ~hosted_run();
  hosted_run(const hosted_run&) = delete;
  hosted_run& operator=(const hosted_run&) = delete;

  /// Spawns what `where` gives to this node and is not there yet, and ends what
  /// it no longer does. Each new actor is passed to `on_spawn` with its name,
  /// such as "stage 2".
  void arrange(
    const placement_map& where,
    std::function<void(const caf::strong_actor_ptr&, std::string)> on_spawn);

  /// An actor has gone by itself: it is spawned anew by the next `arrange`.
  /// False if it is none of those at work.
  bool forget(const caf::actor_addr& who);

  mail_route route(const placement_map& where, std::uint64_t attempt,
                   std::uint64_t session) const;

  /// What stands before the trainer's scheduler: itself, unless there are
  /// faults on purpose.
  caf::strong_actor_ptr through_faults(const caf::strong_actor_ptr& trainer);

  /// Those at work here; null for the others.
  const local_actors& actors() const noexcept { return actors_; }
  std::vector<standing> standings() const;

private:
  // Whom rules of faults may kill; outlives this with the actors.
  struct fault_targets {
    std::mutex mutex;
    local_actors now;
  };

  template <class Handle>
  caf::strong_actor_ptr announced(const Handle& actor, const std::string& name);
  pipeline_parts parts() const;
  void make_faults();
  void show_targets(const local_actors& now);
  action_hook hook(std::uint32_t stage,
                   void (fault_injector::*call)(std::uint32_t, std::int64_t,
                                                std::uint32_t, const action&));
  void arrange_stage(std::uint32_t stage, std::uint32_t index);
  void end_stage(std::uint32_t stage);

  caf::actor_system& system_;
  hosting how_;
  std::shared_ptr<const job> what_;
  std::shared_ptr<const plan> plan_;
  std::uint32_t process_;
  std::shared_ptr<const model> source_;
  std::shared_ptr<const optimizer> rule_;
  std::shared_ptr<const parameter_layout> layout_;
  std::map<std::uint32_t, std::shared_ptr<device>> devices_; ///< by stage
  std::map<std::uint32_t, std::shared_ptr<const standing_board>> boards_;
  local_actors actors_;
  std::shared_ptr<fault_injector> faults_; ///< null: none
  std::shared_ptr<fault_targets> targets_; ///< with `faults_`
  std::function<void(const caf::strong_actor_ptr&, std::string)> on_spawn_;
};

} // namespace actorpipe
