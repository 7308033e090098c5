// SPDX-License-Identifier: Apache-2.0
/// `actorpipe generate`: text from a trained model.
#include "apps/commands.hpp"
#include "apps/plugin_arguments.hpp"

#include "actors/run/generation.hpp"
#include "actors/run/trained_model.hpp"

#include <charconv>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace actorpipe {

namespace {

struct generate_arguments {
  std::string directory;
  generation_options how;
  std::vector<std::string> plugins;
};

int generate(const generate_arguments& args) {
  auto trained =
    load_trained_model(args.directory, registry_with(args.plugins));
  auto how = args.how;
  how.sequence = trained.config.model.gpt.sequence;
  // The prompt is shown with the first byte, so that options out of range
  // leave nothing behind.
  std::string unseen = how.prompt;
  const auto show = [&unseen](const std::string& text) {
    std::fputs(unseen.c_str(), stdout);
    unseen.clear();
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  };
  generate_text(*trained.loop, how,
                [&](char byte) { show(std::string(1, byte)); });
  show("\n");
  return exit_ok;
}

// Adds an option for a whole number of at least 0 that fits its type.
template <class T>
void add_number(CLI::App& command, const std::string& name, T& into,
                const std::string& meaning) {
  command.add_option_function<std::string>(
    name,
    [name, &into](const std::string& text) {
      const auto* const end = text.data() + text.size();
      const auto [stop, error] = std::from_chars(text.data(), end, into);
      if (error != std::errc{} || stop != end || text.front() == '-')
        throw CLI::ValidationError(
          name, "must be an integer from 0 to "
                  + std::to_string(std::numeric_limits<T>::max()) + ", got "
                  + text);
    },
    meaning);
}

} // namespace

void add_generate(CLI::App& app, std::function<int()>& run) {
  auto* command = app.add_subcommand("generate", "Draw text from a model");
  auto args = std::make_shared<generate_arguments>();
  args->how.prompt = "\n";
  command
    ->add_option("RUN_DIR", args->directory, "Run directory, or checkpoint")
    ->required();
  command->add_option("--prompt", args->how.prompt,
                      "What the text starts with");
  add_number(*command, "--tokens", args->how.tokens, "Bytes to draw (200)");
  command
    ->add_option("--temperature", args->how.temperature,
                 "0: always the likeliest byte")
    ->capture_default_str();
  add_number(*command, "--seed", args->how.seed, "Of the draws (0)");
  add_plugin_arguments(*command, args->plugins);
  command->callback([args, &run] { run = [args] { return generate(*args); }; });
}

} // namespace actorpipe
