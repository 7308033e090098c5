// SPDX-License-Identifier: Apache-2.0
/// The actors of a pipeline on CAF's testing scheduler: one thread, a fake
/// clock, and a seed that chooses which message is handled next.
#pragma once

#include "actors/parameter_layout.hpp"
#include "compute/device/device.hpp"
#include "compute/train/model_values.hpp"
#include "messages/messages.hpp"
#include "messages/payload.hpp"
#include "partition/plan.hpp"

#include <caf/message.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
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
/// "parameter 0", "keeper 0" or "scheduler".
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
  /// The cells' replicas are kept by so many keepers in turn; 0: by none.
  std::uint32_t keepers = 0;
  /// One choice in so many has the scheduler ask for missing answers at once;
  /// 0: none.
  std::uint64_t haste = 0;
  /// With nothing else to do, time passes so often for one request until the
  /// scheduler asks for missing answers. After that the request stalls.
  std::uint32_t most_waits = 20;
};

class simulated_pipeline {
public:
  explicit simulated_pipeline(simulation_options options);
  ~simulated_pipeline();
  simulated_pipeline(const simulated_pipeline&) = delete;
  simulated_pipeline& operator=(const simulated_pipeline&) = delete;

  /// Runs until the outcome is there; what is still under way then stays so.
  /// Empty: it stalls.
  std::optional<step_outcome> train(const batch& data,
                                    const train_request& how);
  std::optional<step_outcome> evaluate(const batch& data);

  std::optional<values_outcome> set_values(const model_values& next);

  /// Asked of the scheduler, which must have nothing else to do.
  model_values values();

  // Each asks, and handles no message yet. The outcome is put where it points.
  std::shared_ptr<std::optional<step_outcome>>
  begin_training(const batch& data, const train_request& how);

  std::shared_ptr<std::optional<values_outcome>>
  begin_install(const model_values& next);
  std::shared_ptr<std::optional<resumed>> begin_resume(std::uint64_t attempt,
                                                       std::int64_t version);

  /// Runs until it is there; false: it stalls.
  template <class Outcome>
  bool await(const std::shared_ptr<std::optional<Outcome>>& outcome) {
    while (!*outcome)
      if (!run(1))
        return false;
    return true;
  }

  /// Handles so many messages; false when none was left before that.
  bool run(std::uint64_t messages);

  /// As a supervisor would. Runs until they are answered; empty: they stall.
  std::optional<halted> halt(std::uint64_t count);
  std::optional<resumed> resume(std::uint64_t attempt, std::int64_t version);

  /// The versions that every parameter actor has; asked for this attempt.
  std::set<std::int64_t> common_versions(std::uint64_t attempt);

  /// Introduces everyone to everyone; the constructor does it for attempt 0.
  void introduce(std::uint64_t attempt);

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
