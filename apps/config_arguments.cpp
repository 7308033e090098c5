// SPDX-License-Identifier: Apache-2.0
/// CONFIG, `--set`, and the short forms of common settings.
#include "apps/commands.hpp"

namespace actorpipe {

namespace {

struct short_form {
  const char* option;
  const char* key;
  const char* meaning;
};

constexpr short_form short_forms[] = {
  {"--stages", "pipeline.stages", "K: cells, each run by a stage actor"},
  {"--micro-batches", "pipeline.micro_batches", "M: parts of a mini-batch"},
  {"--schedule", "pipeline.schedule", "fill-drain, fill-drain-reverse or 1f1b"},
  {"--recompute", "pipeline.recompute", "always, except-one or never"},
  {"--steps", "run.steps", "steps in all, earlier runs included"},
  {"--seed", "run.seed", "of initial values, batches and dropout"},
  {"--threads-per-stage", "pipeline.threads_per_stage",
   "CPU threads of each stage"},
  {"--out", "run.out", "the run directory"},
};

} // namespace

void add_config_arguments(CLI::App& command, config_arguments& into) {
  command.add_option("CONFIG", into.path, "The run file (TOML)")->required();
  command
    .add_option_function<std::vector<std::string>>(
      "--set",
      [&into](const std::vector<std::string>& values) {
        into.overrides.insert(into.overrides.begin(), values.begin(),
                              values.end());
      },
      "Any setting, as section.key=value (repeatable)")
    ->take_all()
    // One value each time, or the option would swallow CONFIG behind it.
    ->allow_extra_args(false)
    ->type_name("KEY=VALUE");
  for (const auto& form : short_forms) {
    const std::string key = form.key;
    command
      .add_option_function<std::string>(
        form.option,
        [&into, key](const std::string& value) {
          into.overrides.push_back(key + "=" + value);
          into.out_is_given = into.out_is_given || key == "run.out";
        },
        std::string(form.meaning) + " (" + key + ")")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
}

} // namespace actorpipe
