// SPDX-License-Identifier: Apache-2.0
/// What `train` and `launch` have in common: a run from its settings to its
/// result.
#pragma once

#include "apps/commands.hpp"
#include "apps/tls_arguments.hpp"

#include <optional>
#include <string>
#include <vector>

namespace actorpipe {

struct training_arguments {
  config_arguments config;
  std::string resume;
  bool resumes = false; ///< `--resume` is given
  bool sequential = false;
  bool plan_only = false;
  bool print_config = false;
  bool quiet = false;
  tls_arguments tls;
  bool allows_different_bits = false;
  std::string faults; ///< a file with rules; empty: none
  std::vector<std::string> plugins;
};

/// Adds all of them but `--sequential`, `--plan-only` and `--print-config`.
void add_training_arguments(CLI::App& command, training_arguments& into);

/// Nodes that somebody has started for this run.
struct ready_nodes {
  std::vector<std::string> addresses;
  std::optional<tls_files> tls; ///< empty: plain text
};

/// Trains on `nodes`, or where the settings say. Returns the exit code.
int run_training_command(const training_arguments& args,
                         const std::optional<ready_nodes>& nodes);

} // namespace actorpipe
