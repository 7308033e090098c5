// SPDX-License-Identifier: Apache-2.0
/// Nodes in processes of their own, for benchmarks of a cluster.
#pragma once

#include "actors/cluster/cluster_options.hpp"
#include "actors/control/certificates.hpp"

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace actorpipe::benchmarks {

/// What a benchmark's `main` calls first: in a process that was started as a
/// node this does not return before the node ends, and then ends the process.
void run_if_node(int argc, char** argv);

/// So many processes of this program that each offer `devices` devices on
/// loopback, with TLS. They end with this object, or with this process.
class node_processes {
public:
  node_processes(std::size_t count, std::size_t devices);
  ~node_processes();
  node_processes(const node_processes&) = delete;
  node_processes& operator=(const node_processes&) = delete;

  /// For a run over all of them, in order.
  cluster_options options() const;

  /// Sends a signal to a node.
  void signal(std::size_t node, int number);

private:
  struct child {
    pid_t process = -1;
    int keeps_alive = -1; ///< the node ends when this is closed
    std::string address;
  };

  one_run_authority authority_;
  tls_files files_;
  std::vector<child> all_;
};

} // namespace actorpipe::benchmarks
