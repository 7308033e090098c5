// SPDX-License-Identifier: Apache-2.0
/// `actorpipe evaluate`: the loss of a trained model on held-out text.
#include "apps/commands.hpp"

#include "actors/run/trained_model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

namespace actorpipe {

namespace {

int evaluate(const std::string& directory) {
  auto trained = load_trained_model(directory, layer_registry::with_builtin());
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
  auto directory = std::make_shared<std::string>();
  command->add_option("RUN_DIR", *directory, "Run directory, or checkpoint")
    ->required();
  command->callback(
    [directory, &run] { run = [directory] { return evaluate(*directory); }; });
}

} // namespace actorpipe
