// SPDX-License-Identifier: Apache-2.0
/// The actors of a pipeline on CAF's testing scheduler: one thread, a fake
/// clock, and a seed that chooses which message is handled next.
#pragma once

#include "actors/parameter_layout.hpp"
#include "compute/device/device.hpp"
#include "compute/train/model_values.hpp"
#include "messages/messages.hpp"
#include "partition/plan.hpp"

#include <caf/message.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace actorpipe::test {

/// What becomes of a message: copies that are delivered at once, in order, and
/// copies that are delivered at any later time, in any order.
struct fate {
  std::vector<caf::message> now;
  std::vector<caf::message> later;
};

/// Decides about each message on its way to `to`, such as "stage 1",
/// "parameter 0" or "scheduler".
using network =
  std::function<fate(const std::string& to, const caf::message& what)>;

struct simulation_options {
  std::shared_ptr<const model> source;
  std::shared_ptr<const optimizer> rule;
  plan how;
  std::uint64_t seed = 1;       ///< of the model
  std::uint64_t order_seed = 1; ///< of the choice of the next message
  /// While there are others, one in so many messages is a late one.
  std::uint64_t patience = 2;
  bool traced = false; ///< with actors between the actors
  network between;     ///< empty: the actors know each other
};

class simulated_pipeline {
public:
  explicit simulated_pipeline(simulation_options options);
  ~simulated_pipeline();
  simulated_pipeline(const simulated_pipeline&) = delete;
  simulated_pipeline& operator=(const simulated_pipeline&) = delete;

  /// Runs until the outcome is there; what is still under way then stays so.
  /// Empty: no message is left and there is no outcome.
  std::optional<step_outcome> train(const batch& data,
                                    const train_request& how);
  std::optional<step_outcome> evaluate(const batch& data);

  model_values values();

  /// Delivers a message past the network, at once or at any later time.
  void inject(const std::string& to, caf::message what);
  void inject_late(const std::string& to, caf::message what);

  /// Tells an actor to exit.
  void end(const std::string& name);

  /// In order: who handled a message, and who was sent what.
  const std::vector<std::string>& trace() const;

private:
  struct implementation;
  std::unique_ptr<implementation> impl_;
};

} // namespace actorpipe::test
