// SPDX-License-Identifier: Apache-2.0
/// Starting this program anew in place of itself.
#pragma once

#include <string>
#include <vector>

namespace actorpipe {

/// From now on no file but the standard streams is passed to a program that is
/// started by `exec`.
void close_files_on_exec();

/// Becomes a new process of this program, with the same id, streams and
/// environment. Signals that wait are kept. Throws std::system_error when that
/// fails.
[[noreturn]] void replace_this_process(const std::vector<std::string>& words);

} // namespace actorpipe
