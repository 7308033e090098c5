// SPDX-License-Identifier: Apache-2.0
/// A run from its settings to what is printed of it.
#include "apps/training.hpp"

#include "actors/run/config.hpp"
#include "actors/run/run_cluster.hpp"
#include "actors/run/training_run.hpp"
#include "apps/interrupt.hpp"
#include "apps/plugin_arguments.hpp"
#include "apps/progress.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <unistd.h>

namespace actorpipe {

namespace {

std::string read_rules(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad())
    throw std::invalid_argument(fmt::format("--faults: {} cannot be read: {}",
                                            path, std::strerror(errno)));
  return text;
}

// What the command line says of certificates stands before the run file.
std::optional<tls_files> tls_of(const training_arguments& args,
                                const cluster_options& options) {
  if (!args.tls.insecure && !args.tls.are_given() && options.tls) {
    check(*options.tls);
    return options.tls;
  }
  if (args.tls.insecure && options.tls)
    throw std::invalid_argument("--insecure: cluster.tls_certificate is set "
                                "too, and only one can hold");
  return chosen_tls(args.tls);
}

std::optional<cluster_options>
cluster_of(const training_arguments& args, const run_config& config,
           const std::optional<ready_nodes>& ready) {
  auto options = cluster_options_of(config.cluster);
  if (ready) {
    options.nodes = ready->addresses;
    options.tls = ready->tls;
  } else if (options.nodes.empty()) {
    if (!args.faults.empty())
      throw std::invalid_argument("--faults: acts on nodes; give --nodes, or "
                                  "use launch");
    if (args.tls.insecure || args.tls.are_given() || args.allows_different_bits)
      throw std::invalid_argument(
        "--tls-cert, --insecure and --allow-different-bits are about nodes; "
        "give --nodes, or set cluster.nodes");
    return std::nullopt;
  } else {
    options.tls = tls_of(args, options);
  }
  if (args.sequential)
    throw std::invalid_argument(
      "--sequential: the plain loop runs in this process, and nodes are given");
  options.allows_different_bits = args.allows_different_bits;
  if (!args.faults.empty())
    options.faults = read_rules(args.faults);
  return options;
}

} // namespace

void add_training_arguments(CLI::App& command, training_arguments& into) {
  add_config_arguments(command, into.config);
  command.add_option_function<std::string>(
    "--resume",
    [&into](const std::string& path) {
      into.resume = path;
      into.resumes = true;
    },
    "Go on from a run directory or a checkpoint");
  command.add_flag("--quiet", into.quiet,
                   "Print only the result, and what goes wrong");
  add_tls_arguments(command, into.tls);
  command.add_flag("--allow-different-bits", into.allows_different_bits,
                   "Accept nodes whose operations give other bits");
  command.add_option("--faults", into.faults,
                     "A file with faults to make on purpose (TOML)");
  add_plugin_arguments(command, into.plugins);
}

int run_training_command(const training_arguments& args,
                         const std::optional<ready_nodes>& nodes) {
  if (args.resumes && args.resume.empty())
    throw std::invalid_argument("--resume: names no run directory");
  training_options options;
  options.config = load_config(args.config.path, args.config.overrides);
  options.registry = registry_with(args.plugins);
  if (args.print_config) {
    fmt::print("{}", to_toml(options.config));
    return exit_ok;
  }
  if (args.plan_only) {
    fmt::print("{}", to_text(plan_training(options, false)));
    return exit_ok;
  }
  options.cluster = cluster_of(args, options.config, nodes);
  options.resume = args.resume;
  options.out_is_fixed = args.config.out_is_given;
  options.sequential = args.sequential;
  options.stop = was_interrupted;
  note_interrupts();
  progress_printer progress(
    {args.quiet, isatty(STDOUT_FILENO) != 0, options.config.run.log_every});
  const auto result = run_training(options, progress);
  progress.finish();
  if (result.stopped)
    fmt::print("stopped after step {}; go on with --resume {}\n", result.steps,
               result.directory);
  else if (result.held_out_loss && result.count_model_loss)
    fmt::print("held-out loss {:.4f} nats/byte; count model with two bytes of "
               "context {:.4f}\n",
               *result.held_out_loss, *result.count_model_loss);
  fmt::print("run directory {}\nlast checkpoint {}\n", result.directory,
             result.checkpoint);
  fmt::print("parameters sha256: {}\n", result.parameters_sha256);
  return result.stopped ? exit_interrupted : exit_ok;
}

} // namespace actorpipe
