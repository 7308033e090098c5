// SPDX-License-Identifier: Apache-2.0
/// `actorpipe evaluate`: the loss of a trained model on held-out text.
#include "apps/commands.hpp"
#include "apps/plugin_arguments.hpp"

#include "actors/run/trained_model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace actorpipe {

namespace {

struct evaluate_arguments {
  std::string directory;
  std::vector<std::string> plugins;
};

int evaluate(const evaluate_arguments& args) {
  auto trained =
    load_trained_model(args.directory, registry_with(args.plugins));
  const auto result = evaluate_trained_model(trained);
  fmt::print("held-out loss {:.6f} nats/byte, perplexity {:.4f}, {} bytes; "
             "step {}\n",
             result.loss, std::exp(result.loss), result.targets, trained.step);
  return exit_ok;
}

} // namespace

void add_evaluate(CLI::App& app, std::function<int()>& run) {
  auto* command =
    app.add_subcommand("evaluate", "Loss and perplexity on held-out text");
  auto args = std::make_shared<evaluate_arguments>();
  command
    ->add_option("RUN_DIR", args->directory, "Run directory, or checkpoint")
    ->required();
  add_plugin_arguments(*command, args->plugins);
  command->callback([args, &run] { run = [args] { return evaluate(*args); }; });
}

} // namespace actorpipe
