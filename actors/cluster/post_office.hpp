// SPDX-License-Identifier: Apache-2.0
/// How tensors get from the actors of this process to those of the others of a
/// run: over links, or in a simulation.
#pragma once

#include "actors/faults/fault_injector.hpp"
#include "actors/link/link_actor.hpp"
#include "actors/parameter_layout.hpp"
#include "compute/model/model.hpp"
#include "compute/optim/optimizer.hpp"
#include "messages/cluster_messages.hpp"

#include <caf/actor_control_block.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace actorpipe {

/// One attempt of a run, as one process sees it.
struct mail_route {
  std::shared_ptr<const job> what;
  std::shared_ptr<const model> source;
  std::shared_ptr<const optimizer> rule;
  std::shared_ptr<const parameter_layout> layout;
  placement_map where;
  std::uint64_t attempt = 0;
  std::uint32_t process = trainer_process; ///< this one
  std::uint64_t session = 0;               ///< of this one
  local_actors locals;
  std::shared_ptr<fault_injector> faults; ///< on purpose; null: none
};

/// Used by one thread at a time; what it reports comes from any thread.
class post_office {
public:
  struct events {
    /// `open` has ended; the failure is empty if every link is there.
    std::function<void(std::uint64_t attempt, const std::string& failure)>
      on_opened;
    /// A link of that attempt has broken; once per link.
    std::function<void(std::uint64_t attempt, const std::string& why)>
      on_broken;
  };

  virtual ~post_office() = default;

  /// The port where others reach it.
  virtual std::uint16_t port() const = 0;

  virtual void report_to(events listener) = 0;

  /// From now on takes links of the processes that this one shares tensors
  /// with, and delivers to these actors. Links to a process with the same
  /// session stay; others are closed.
  virtual void expect(const mail_route& route) = 0;

  /// Opens what is lacking, and awaits what others open; see `on_opened`.
  virtual void open() = 0;

  /// The actor that stands for that process: takes every message with a
  /// payload, `credit` and `fetch`. Null for a process that this one shares
  /// nothing with.
  virtual caf::strong_actor_ptr to(std::uint32_t process) = 0;

  /// Closes all links and forgets the route.
  virtual void close() = 0;
};

} // namespace actorpipe
