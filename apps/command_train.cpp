// SPDX-License-Identifier: Apache-2.0
/// `actorpipe train`: trains what a run file describes.
#include "apps/commands.hpp"
#include "apps/interrupt.hpp"
#include "apps/progress.hpp"

#include "actors/run/config.hpp"
#include "actors/run/training_run.hpp"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <unistd.h>

namespace actorpipe {

namespace {

struct train_arguments {
  config_arguments config;
  std::string resume;
  bool resumes = false; ///< `--resume` is given
  bool sequential = false;
  bool plan_only = false;
  bool print_config = false;
  bool quiet = false;
};

int train(const train_arguments& args) {
  if (args.resumes && args.resume.empty())
    throw std::invalid_argument("--resume: names no run directory");
  training_options options;
  options.config = load_config(args.config.path, args.config.overrides);
  if (args.print_config) {
    fmt::print("{}", to_toml(options.config));
    return exit_ok;
  }
  if (args.plan_only) {
    fmt::print("{}", to_text(plan_training(options, false)));
    return exit_ok;
  }
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

} // namespace

void add_train(CLI::App& app, std::function<int()>& run) {
  auto* command = app.add_subcommand("train", "Train a model");
  auto args = std::make_shared<train_arguments>();
  add_config_arguments(*command, args->config);
  command->add_option_function<std::string>(
    "--resume",
    [args](const std::string& path) {
      args->resume = path;
      args->resumes = true;
    },
    "Go on from a run directory or a checkpoint");
  command->add_flag("--sequential", args->sequential,
                    "Train with the plain loop, without actors");
  command->add_flag("--plan-only", args->plan_only,
                    "Print the plan and do not train");
  command->add_flag("--print-config", args->print_config,
                    "Print all settings and do not train");
  command->add_flag("--quiet", args->quiet, "Print only the result");
  command->callback([args, &run] { run = [args] { return train(*args); }; });
}

} // namespace actorpipe
