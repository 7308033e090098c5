// SPDX-License-Identifier: Apache-2.0
/// A run file from its place, printed, and what follows from it.
#include "actors/run/config.hpp"

#include "actors/run/config_schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

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
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  // An empty file leaves the output stream failed, which is no error.
  if (file && file.peek() != std::ifstream::traits_type::eof())
    text << file.rdbuf();
  if (!file.is_open() || file.bad() || text.bad())
    throw config_error(
      {fmt::format("{}: cannot be read: {}", path, std::strerror(errno))});
  return parse_config(text.str(), path, overrides);
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
