// SPDX-License-Identifier: Apache-2.0
/// A trainer and its nodes in one thread: the real scheduler, supervisor,
/// nodes, stages and parameter actors in a simulated world.
#pragma once

#include "actors/cluster/cluster_options.hpp"
#include "compute/layers/layer_registry.hpp"
#include "compute/train/model_values.hpp"
#include "messages/cluster_messages.hpp"
#include "messages/messages.hpp"
#include "messages/payload.hpp"
#include "tests/support/simulated_links.hpp"
#include "tests/support/simulated_world.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace actorpipe::test {

struct cluster_simulation_options {
  std::shared_ptr<const model> source;
  layer_registry registry; ///< that can build it
  optimizer_options rule;
  plan how;
  std::uint64_t seed = 1; ///< of the model
  std::uint32_t nodes = 2;
  std::uint32_t devices = 1; ///< per node
  world_options world;
  /// Of each control message between trainer and nodes, to get lost.
  double loss = 0;
  cluster_options cluster; ///< its nodes are filled in
};

class simulated_cluster {
public:
  explicit simulated_cluster(cluster_simulation_options options);
  ~simulated_cluster();
  simulated_cluster(const simulated_cluster&) = delete;
  simulated_cluster& operator=(const simulated_cluster&) = delete;

  /// Runs until the outcome is there. Empty: an hour has passed without.
  std::optional<step_outcome> train(const batch& data,
                                    const train_request& how);
  std::optional<step_outcome> evaluate(const batch& data);
  std::optional<values_outcome> values();

  /// For `simulated_world::at`, `later` and the trace.
  simulated_world& world();

  /// As SIGKILL does. A node is started anew on its address with `start_node`.
  void kill_node(std::uint32_t node);
  void start_node(std::uint32_t node);
  bool is_up(std::uint32_t node) const;

  /// One actor alone, if it is there.
  void kill_stage(std::uint32_t stage);
  void kill_parameter(std::uint32_t cell);

  /// Between two processes: indices of nodes, or `trainer_process`.
  void cut(std::uint32_t a, std::uint32_t b);
  void heal(std::uint32_t a, std::uint32_t b);
  /// From all others.
  void cut_off(std::uint32_t process);
  void reconnect(std::uint32_t process);

  cluster_view view();

  /// What the supervisor has told people, in order.
  const std::vector<cluster_event>& events() const;

private:
  struct implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace actorpipe::test
