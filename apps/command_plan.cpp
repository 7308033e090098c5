// SPDX-License-Identifier: Apache-2.0
/// `actorpipe plan`: what a run would do, and what it would take.
#include "apps/commands.hpp"
#include "apps/plugin_arguments.hpp"

#include "actors/run/training_run.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace actorpipe {

namespace {

struct plan_arguments {
  config_arguments config;
  bool json = false;
  std::vector<std::string> plugins;
};

int show(const plan_arguments& args) {
  training_options options;
  options.config = load_config(args.config.path, args.config.overrides);
  options.registry = registry_with(args.plugins);
  const auto plan = plan_training(options, true);
  fmt::print("{}", args.json ? to_json(plan) : to_text(plan));
  return exit_ok;
}

} // namespace

void add_plan(CLI::App& app, std::function<int()>& run) {
  auto* command = app.add_subcommand(
    "plan", "Measure the layers, cut them, and show the plan");
  auto args = std::make_shared<plan_arguments>();
  add_config_arguments(*command, args->config);
  command->add_flag("--json", args->json, "Print it as JSON");
  add_plugin_arguments(*command, args->plugins);
  command->callback([args, &run] { run = [args] { return show(*args); }; });
}

} // namespace actorpipe
