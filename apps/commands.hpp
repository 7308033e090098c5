// SPDX-License-Identifier: Apache-2.0
/// The subcommands of `actorpipe`.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace actorpipe {

/// What the program ends with.
enum exit_status : int {
  exit_ok = 0,
  exit_failure = 1,
  exit_usage = 2,
  exit_interrupted = 130,
};

/// Each adds its subcommand to `app` and sets `run` to what it does when it is
/// chosen.
void add_train(CLI::App& app, std::function<int()>& run);
void add_plan(CLI::App& app, std::function<int()>& run);
void add_generate(CLI::App& app, std::function<int()>& run);
void add_evaluate(CLI::App& app, std::function<int()>& run);
void add_node(CLI::App& app, std::function<int()>& run);
void add_launch(CLI::App& app, std::function<int()>& run);
void add_status(CLI::App& app, std::function<int()>& run);

/// A run file and what overrides it, on the command line.
struct config_arguments {
  std::string path;
  std::vector<std::string> overrides; ///< "section.key=value"
  bool out_is_given = false;          ///< `--out` is among them
};

/// Adds CONFIG, `--set`, and the short forms of common settings.
void add_config_arguments(CLI::App& command, config_arguments& into);

} // namespace actorpipe
