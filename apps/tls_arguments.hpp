// SPDX-License-Identifier: Apache-2.0
/// `--tls-cert`, `--tls-key`, `--tls-ca` and `--insecure`.
#pragma once

#include "actors/control/tls_files.hpp"

#include <CLI/CLI.hpp>

#include <optional>

namespace actorpipe {

struct tls_arguments {
  tls_files files; ///< empty paths: not given
  bool insecure = false;

  bool are_given() const noexcept { return !(files == tls_files{}); }
};

void add_tls_arguments(CLI::App& command, tls_arguments& into);

/// What was chosen; empty: plain text. Throws std::invalid_argument that says
/// what to give when nothing or half of it is given, or both are, and for files
/// that cannot be used.
std::optional<tls_files> chosen_tls(const tls_arguments& arguments);

} // namespace actorpipe
