// SPDX-License-Identifier: Apache-2.0
/// `actorpipe generate`: text from a trained model.
#include "apps/commands.hpp"

#include "actors/run/generation.hpp"
#include "actors/run/trained_model.hpp"

#include <cstdio>
#include <memory>

namespace actorpipe {

namespace {

struct generate_arguments {
  std::string directory;
  generation_options how;
};

int generate(const generate_arguments& args) {
  auto trained =
    load_trained_model(args.directory, layer_registry::with_builtin());
  auto how = args.how;
  how.sequence = trained.config.model.gpt.sequence;
  std::fputs(how.prompt.c_str(), stdout);
  generate_text(*trained.loop, how, [](char byte) {
    std::fputc(byte, stdout);
    std::fflush(stdout);
  });
  std::fputc('\n', stdout);
  return exit_ok;
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
  command->add_option("--tokens", args->how.tokens, "Bytes to draw")
    ->capture_default_str();
  command
    ->add_option("--temperature", args->how.temperature,
                 "0: always the likeliest byte")
    ->capture_default_str();
  command->add_option("--seed", args->how.seed, "Of the draws")
    ->capture_default_str();
  command->callback([args, &run] { run = [args] { return generate(*args); }; });
}

} // namespace actorpipe
