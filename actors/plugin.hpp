// SPDX-License-Identifier: Apache-2.0
/// Loads layers that a user has compiled into a shared library.
#pragma once

#include "compute/layers/layer_registry.hpp"

#include <stdexcept>
#include <string>

namespace actorpipe {

/// A plugin that cannot be used. The message names its file and says why.
class plugin_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Loads the shared library in the file `path` (a relative one from the working
/// folder) and adds its kinds to `into`; see `compute/layers/plugin.hpp`. It
/// runs code of the library and trusts it as it does this program.
///
/// The library stays loaded until the process ends. The program must have been
/// linked to show its symbols to libraries, as `actorpipe` is.
///
/// Throws `plugin_error` when there is no such file, when it is not a shared
/// library or lacks something, when it was built for another version, and when
/// it does not register, as with a kind that is there already. Then `into` is
/// as before.
void load_plugin(const std::string& path, layer_registry& into);

} // namespace actorpipe
