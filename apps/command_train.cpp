// SPDX-License-Identifier: Apache-2.0
/// `actorpipe train`: trains what a run file describes.
#include "apps/commands.hpp"
#include "apps/training.hpp"

#include "actors/launch/hosts_file.hpp"

#include <memory>

namespace actorpipe {

namespace {

// As an override, so that it is checked and saved as the setting is.
std::string nodes_setting(const std::string& text) {
  std::string list;
  for (const auto& address : split_list(text, "--nodes"))
    list += (list.empty() ? "\"" : ", \"") + address + '"';
  return "cluster.nodes=[" + list + ']';
}

} // namespace

void add_train(CLI::App& app, std::function<int()>& run) {
  auto* command = app.add_subcommand("train", "Train a model");
  auto args = std::make_shared<training_arguments>();
  auto nodes = std::make_shared<std::string>();
  add_training_arguments(*command, *args);
  command
    ->add_option("--nodes", *nodes,
                 "Train on these nodes; those left over are spares "
                 "(cluster.nodes)")
    ->type_name("HOST:PORT,...");
  command->add_flag("--sequential", args->sequential,
                    "Train with the plain loop, without actors");
  command->add_flag("--plan-only", args->plan_only,
                    "Print the plan and do not train");
  command->add_flag("--print-config", args->print_config,
                    "Print all settings and do not train");
  auto* const given = command->get_option("--nodes");
  command->callback([args, nodes, given, &run] {
    run = [args, nodes, given] {
      if (given->count() > 0)
        args->config.overrides.push_back(nodes_setting(*nodes));
      return run_training_command(*args, std::nullopt);
    };
  });
}

} // namespace actorpipe
