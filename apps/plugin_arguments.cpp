// SPDX-License-Identifier: Apache-2.0
/// How a command is told of plugins.
#include "apps/plugin_arguments.hpp"

#include "actors/plugin.hpp"

namespace actorpipe {

void add_plugin_arguments(CLI::App& command, std::vector<std::string>& into) {
  command
    .add_option("--plugin", into,
                "A shared library with layers of your own (repeatable)")
    // One value each time, or the option would swallow what is behind it.
    ->allow_extra_args(false)
    ->type_name("FILE.so");
}

layer_registry registry_with(const std::vector<std::string>& plugins) {
  auto result = layer_registry::with_builtin();
  for (const auto& path : plugins)
    load_plugin(path, result);
  return result;
}

} // namespace actorpipe
