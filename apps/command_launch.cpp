// SPDX-License-Identifier: Apache-2.0
/// `actorpipe launch`: starts nodes, trains on them, ends them.
#include "apps/commands.hpp"
#include "apps/interrupt.hpp"
#include "apps/plugin_arguments.hpp"
#include "apps/training.hpp"

#include "actors/launch/node_launch.hpp"
#include "actors/run/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

namespace actorpipe {

namespace {

struct launch_arguments {
  training_arguments training;
  std::uint32_t local = 0;
  std::uint32_t devices_per_node = 1;
  std::uint32_t spares = 0;
  std::string hosts; ///< a file
  std::string ssh;   ///< program and options; empty: the system's
};

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string word; in >> word;)
    result.push_back(word);
  return result;
}

launch_options nodes_of(const launch_arguments& args) {
  launch_options result;
  if ((args.local > 0) == !args.hosts.empty())
    throw std::invalid_argument(
      "give either --local N, for nodes on this machine, or --hosts FILE");
  if (args.local > 0) {
    result.local = args.local + args.spares;
    result.devices_per_node = args.devices_per_node;
    result.program = std::filesystem::read_symlink("/proc/self/exe").string();
  } else {
    result.hosts = load_hosts(args.hosts);
    if (args.spares >= result.hosts.size())
      throw std::invalid_argument(
        fmt::format("--spares: {} of the {} hosts in {} leave none to train on",
                    args.spares, result.hosts.size(), args.hosts));
  }
  if (const auto ssh = split_words(args.ssh); !ssh.empty())
    result.ssh = ssh;
  result.insecure = args.training.tls.insecure;
  if (result.insecure || args.training.tls.are_given())
    result.tls = chosen_tls(args.training.tls);
  result.plugins = args.training.plugins;
  result.stop = was_interrupted;
  result.log = [](const std::string& text) {
    fmt::print(stderr, "actorpipe: {}\n", text);
  };
  if (!args.training.quiet)
    result.printed = result.log;
  return result;
}

// As many stages as devices that are not spare, unless the user says how many.
std::string stages_setting(const launch_options& nodes, std::uint32_t spares) {
  std::size_t devices = 0;
  if (nodes.local > 0)
    devices = std::size_t{nodes.local - spares} * nodes.devices_per_node;
  for (std::size_t i = 0; i + spares < nodes.hosts.size(); ++i)
    devices += nodes.hosts[i].devices.size();
  return fmt::format("pipeline.stages={}", devices);
}

int launch(const launch_arguments& args) {
  auto options = nodes_of(args);
  auto training = args.training;
  auto& overrides = training.config.overrides;
  overrides.insert(overrides.begin(), stages_setting(options, args.spares));
  // A mistake in a run file or a plugin starts nothing.
  registry_with(training.plugins);
  const auto config = load_config(training.config.path, overrides);
  if (!config.cluster.nodes.empty())
    throw std::invalid_argument(
      "launch: cluster.nodes is set, and launch starts nodes of its own; use "
      "train, or set cluster.nodes=[]");
  note_interrupts();
  std::optional<node_launch> nodes;
  try {
    nodes.emplace(std::move(options));
  } catch (const launch_error&) {
    if (was_interrupted())
      return exit_interrupted;
    throw;
  }
  return run_training_command(training,
                              ready_nodes{nodes->addresses(), nodes->tls()});
}

} // namespace

void add_launch(CLI::App& app, std::function<int()>& run) {
  auto* command =
    app.add_subcommand("launch", "Start nodes, train on them, and end them");
  auto args = std::make_shared<launch_arguments>();
  add_training_arguments(*command, args->training);
  const auto count = CLI::Range(std::uint32_t{1}, std::uint32_t{1024});
  command->add_option("--local", args->local, "N nodes on this machine")
    ->check(count)
    ->type_name("N");
  command
    ->add_option("--devices-per-node", args->devices_per_node,
                 "Stages that one of them can run")
    ->check(count)
    ->capture_default_str();
  command
    ->add_option("--spares", args->spares,
                 "With --local so many nodes more; with --hosts the last ones. "
                 "They take over from nodes that are lost")
    ->check(CLI::Range(std::uint32_t{0}, std::uint32_t{1024}))
    ->capture_default_str();
  command
    ->add_option("--hosts", args->hosts,
                 "Nodes on the hosts of a file, started over ssh: a line is "
                 "HOST[:PORT] [devices=cpu:0,cpu:1] [command=PATH]")
    ->type_name("FILE");
  command
    ->add_option("--ssh", args->ssh,
                 "Program and options that reach a host (ssh -T -o "
                 "BatchMode=yes)")
    ->type_name("WORDS");
  command->callback([args, &run] { run = [args] { return launch(*args); }; });
}

} // namespace actorpipe
