// SPDX-License-Identifier: Apache-2.0
/// Starts nodes for one run, here or on other hosts, and ends them with it.
#pragma once

#include "actors/control/tls_bundle.hpp"
#include "actors/launch/hosts_file.hpp"
#include "actors/launch/launched_node.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace actorpipe {

struct launch_options {
  /// Nodes here, on loopback; with so many devices each. Started again when
  /// they die.
  std::uint32_t local = 0;
  std::uint32_t devices_per_node = 1;
  std::string program; ///< of those here: the path of `actorpipe`

  /// Nodes on other hosts, after those here. They listen on all addresses.
  std::vector<launch_host> hosts;
  /// The program and options that reach a host, before its name.
  std::vector<std::string> ssh{"ssh", "-T", "-o", "BatchMode=yes"};

  /// Certificate, key and authority for everyone; empty: an authority is made
  /// for this run alone.
  std::optional<tls_files> tls;
  bool insecure = false; ///< plain text, which the user has asked for
  std::vector<std::string> plugins;

  std::chrono::nanoseconds start_within = std::chrono::seconds(60);
  /// Asked while waiting: true ends it.
  std::function<bool()> stop = [] { return false; };
  /// Told of the ends of nodes, and of what they print; called from any thread.
  std::function<void(const std::string&)> log = [](const std::string&) {};
  std::function<void(const std::string&)> printed = [](const std::string&) {};
};

/// The variables of this process's environment that change what numerical
/// libraries compute, as "NAME=VALUE", sorted.
std::vector<std::string> numeric_environment();

class node_launch {
public:
  /// Returns when all nodes listen. Throws `launch_error`, which says what a
  /// node printed, and std::invalid_argument for certificates that cannot be
  /// read.
  explicit node_launch(launch_options options);

  node_launch(const node_launch&) = delete;
  node_launch& operator=(const node_launch&) = delete;

  /// Ends them all and waits for it.
  ~node_launch();

  /// "HOST:PORT" of each, in order.
  const std::vector<std::string>& addresses() const noexcept {
    return addresses_;
  }

  /// How whoever trains on them connects; in memory unless given. Empty: plain
  /// text.
  std::optional<tls_files> tls() const;

private:
  void start_local(std::uint32_t index);
  void start_remote(std::uint32_t index, const launch_host& host);
  void await_all();
  void stop_all() noexcept;

  launch_options options_;
  std::optional<tls_in_memory> own_; ///< of this process, when made here
  std::vector<std::string> bundles_; ///< per node, what it reads first
  std::vector<std::string> remote_;  ///< per node its host; empty: here
  std::vector<std::unique_ptr<launched_node>> nodes_;
  std::vector<std::string> addresses_;
};

} // namespace actorpipe
