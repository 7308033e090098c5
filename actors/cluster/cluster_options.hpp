// SPDX-License-Identifier: Apache-2.0
/// What a run over several nodes is told.
#pragma once

#include "actors/control/tls_files.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace actorpipe {

/// Something that happened to the cluster, for people.
struct cluster_event {
  enum class kind : std::uint8_t {
    formed,    ///< every stage has its node
    fault,     ///< what was noticed
    recovered, ///< who runs what now, from which version, after how long
    waiting,   ///< for a node with room
    stall,     ///< the stall report
    ended,     ///< there is no way on, and why
    note,      ///< anything else
  };
  kind what = kind::note;
  std::string text;
};

struct cluster_options {
  /// Addresses, "HOST:PORT", in the order in which they are given stages. Those
  /// left over are spares.
  std::vector<std::string> nodes;
  /// Per stage the index of its node; empty: as many stages per node as it
  /// offers devices, in the given order.
  std::vector<std::uint32_t> placement;

  /// This process's certificate, key and authority. Empty: plain text, which
  /// the user has asked for.
  std::optional<tls_files> tls;

  /// A node that is silent for three of these is lost.
  std::chrono::nanoseconds heartbeat = std::chrono::seconds(1);
  /// How long to wait for a node with room when there is none.
  std::chrono::nanoseconds wait_for_node = std::chrono::seconds(60);
  /// Recoveries within 100 steps after which the run ends.
  std::int64_t restart_budget = 16;
  /// Nothing has advanced for so long, or for four planned steps: a stall
  /// report; for three times as long: a fault.
  std::chrono::nanoseconds stall_after = std::chrono::seconds(10);
  double planned_step_s = 0; ///< 0: not known
  /// Each version of a cell is kept by a second node too.
  bool replicates = true;
  /// Accept nodes whose operations give other bits.
  bool allows_different_bits = false;
  /// Rules of faults on purpose, as TOML; empty: none.
  std::string faults;

  /// Called from the supervisor's thread.
  std::function<void(const cluster_event&)> on_event;
};

} // namespace actorpipe
