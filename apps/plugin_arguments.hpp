// SPDX-License-Identifier: Apache-2.0
/// `--plugin`: layers of the user's own.
#pragma once

#include "compute/layers/layer_registry.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace actorpipe {

void add_plugin_arguments(CLI::App& command, std::vector<std::string>& into);

/// The built-in layers and those of the plugins. Throws `plugin_error`.
layer_registry registry_with(const std::vector<std::string>& plugins);

} // namespace actorpipe
