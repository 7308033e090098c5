// SPDX-License-Identifier: Apache-2.0
/// Makes the faults of one process happen as its rules say.
#pragma once

#include "actors/faults/fault_rules.hpp"
#include "actors/link/disturbance.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace actorpipe {

/// An actor that a rule kills while its process stays.
struct fault_target {
  bool is_parameter = false; ///< else a stage
  std::uint32_t index = 0;   ///< of the stage, or cell
};

/// How faults are made in a process. Called from the thread in which the fault
/// happens; what is empty is left out, except where a default is named.
struct fault_means {
  std::function<void()> kill_process; ///< default: SIGKILL to itself
  std::function<void(const fault_target&)> kill_actor;
  /// Returns after this time. Default: sleeps.
  std::function<void(std::chrono::nanoseconds)> wait;
  /// A monotonic clock. Default: the steady clock.
  std::function<std::int64_t()> now_ns;
  /// Told of every fault but lost messages, before it happens: a text such as
  /// "fault on purpose: kill node 2 at step 5 after 3F4".
  std::function<void(const std::string&)> log;
};

/// One for each process of a run, made from the same rules everywhere. What is
/// drawn depends on the seed, the two processes and a count of messages or
/// frames alone. May be used from any thread.
///
///     fault_injector faults(parse_faults(text), how, index, means);
///     options.before_action = [&](std::int64_t step, std::uint32_t tries,
///                                 const action& next) {
///       faults.before_action(options.stage, step, tries, next);
///     };
///     if (faults.loses_control(trainer_process)) ...
class fault_injector {
public:
  /// `process` is a node's index or `trainer_process`. `how` must have passed
  /// `check_faults` with the rules.
  fault_injector(fault_rules rules, const plan& how, std::uint32_t process,
                 fault_means means = {});

  fault_injector(const fault_injector&) = delete;
  fault_injector& operator=(const fault_injector&) = delete;

  /// Called by a stage around each action of a training step, in its thread.
  /// May throw what a layer would, block, or not return.
  void before_action(std::uint32_t stage, std::int64_t step,
                     std::uint32_t tries, const action& next);
  void after_action(std::uint32_t stage, std::int64_t step, std::uint32_t tries,
                    const action& done);

  /// A step begins here for the `tries`-th time. Stages say so by their first
  /// action; a process without one calls it.
  void begin(std::int64_t step, std::uint32_t tries);

  /// Whether the control message that is about to leave for `peer` gets lost.
  bool loses_control(std::uint32_t peer);

  /// For this process's link to `peer`; null when no rule is about it. Does
  /// not outlive this.
  std::unique_ptr<link_disturbance> disturbance(std::uint32_t peer);

private:
  class link_faults;

  // What became of a rule, by its index.
  struct account {
    std::int64_t step = -1; ///< where it acted last
    std::uint32_t tries = 0;
    std::int64_t cut_until_ns = 0;
  };

  enum class side : std::uint8_t { before, after };

  void act(side when, std::uint32_t stage, std::int64_t step,
           std::uint32_t tries, const action& what);
  bool applies(const fault_rule& x, side when, std::uint32_t stage,
               const action& what) const;
  bool is_due(const fault_rule& x, account& so_far, std::int64_t step,
              std::uint32_t tries);
  void make(const fault_rule& x);
  void announce(const fault_rule& x) const;
  bool is_between(const fault_rule& x, std::uint32_t peer) const;
  frame_fault of_frame(std::uint32_t peer);
  std::uint64_t drawn(std::size_t rule, std::uint32_t peer,
                      std::uint64_t count) const;

  const fault_rules rules_;
  const plan how_;
  const std::uint32_t process_;
  fault_means means_;

  std::mutex mutex_; ///< of what follows
  std::vector<account> accounts_;
  std::int64_t step_ = -1; ///< that began last here
  std::uint32_t tries_ = 0;
  std::map<std::uint32_t, std::uint64_t> messages_; ///< per peer, sent
  std::map<std::uint32_t, std::uint64_t> frames_;
};

} // namespace actorpipe
