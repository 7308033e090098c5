// SPDX-License-Identifier: Apache-2.0
/// A run file from its place, printed, and what follows from it.
#include "actors/run/config.hpp"

#include "actors/run/config_schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace actorpipe {

config_error::config_error(std::vector<std::string> problems)
  : std::runtime_error(fmt::format("{}", fmt::join(problems, "\n"))),
    problems_(std::move(problems)) {}

std::vector<std::string> default_holdout(std::string_view path) {
  while (path.ends_with('/'))
    path.remove_suffix(1);
  if (path == licenses_path)
    return {"MPL"};
  return {};
}

run_config load_config(const std::string& path,
                       const std::vector<std::string>& overrides) {
  // Longer than any run file, and short enough to hold what is not one.
  constexpr std::size_t most_bytes = std::size_t{1} << 22;
  std::ifstream file(path, std::ios::binary);
  std::string text(most_bytes + 1, '\0');
  if (file)
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad())
    throw config_error(
      {fmt::format("{}: cannot be read: {}", path, std::strerror(errno))});
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most_bytes)
    throw config_error({fmt::format(
      "{}: is no run file: has more than {} bytes", path, most_bytes)});
  return parse_config(text, path, overrides);
}

std::string to_toml(const run_config& config) {
  std::string result;
  std::string_view section;
  for (const auto& entry : all_settings()) {
    if (entry.applies && !entry.applies(config))
      continue;
    if (entry.section != section) {
      section = entry.section;
      result += fmt::format("{}[{}]\n", result.empty() ? "" : "\n", section);
    }
    result += fmt::format("# {}\n# Allowed: {}.\n{} = {}\n", entry.doc,
                          entry.allowed, entry.key, entry.print(config));
  }
  return result;
}

model_spec model_of(const run_config& config) {
  return config.model.preset == model_source::gpt ? make_gpt(config.model.gpt)
                                                  : config.model.spec;
}

learning_rate_options learning_rate_of(const run_config& config) {
  auto result = config.optimizer.rate;
  result.total_steps = config.optimizer.schedule_steps > 0
                       ? config.optimizer.schedule_steps
                       : config.run.steps;
  return result;
}

} // namespace actorpipe
