// SPDX-License-Identifier: Apache-2.0
/// A pipeline whose stages run in other processes: the trainer's side.
#pragma once

#include "actors/cluster/cluster_options.hpp"
#include "actors/pipeline.hpp"
#include "compute/layers/layer_registry.hpp"

#include <memory>
#include <vector>

namespace actorpipe {

/// Reaches the nodes, places the stages on them, and survives the loss of some.
/// Has an actor system of its own with CAF's networking. The functions block
/// and may be called from any thread; one request is worked on at a time.
///
/// A fault that was survived shows as a `pipeline_error` with the code
/// `rolled_back` and the version that the parameters have now: give the
/// mini-batches since then again. `actor_lost` means that there is no way on.
class cluster {
public:
  /// Returns once every stage has its node. Throws `std::invalid_argument`
  /// when the options do not fit each other, `plan_error` when the plan is
  /// faulty, `cluster_error` when the nodes do not suffice. Of `line`,
  /// `devices` and `detached` are not used: the nodes have the devices.
  /// `registry` is compared with the nodes' own.
  cluster(cluster_options options, pipeline_options line,
          const layer_registry& registry);

  cluster(const cluster&) = delete;
  cluster& operator=(const cluster&) = delete;

  /// Frees the nodes.
  ~cluster();

  /// As `pipeline`'s.
  step_report train(const batch& data, const train_request& how);
  step_report evaluate(const batch& data, const evaluate_request& how = {});
  model_values values();
  void set_values(const model_values& next);

  cluster_view view();
  const plan& how() const noexcept;

private:
  struct implementation;
  std::unique_ptr<implementation> impl_;
};

/// Nodes that cannot be reached, refuse, or do not suffice. The message names
/// each and says why.
class cluster_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Asks the node at `address` how it is. Throws `cluster_error`.
node_status query_status(const std::string& address,
                         const std::optional<tls_files>& tls,
                         std::chrono::nanoseconds timeout);

} // namespace actorpipe
