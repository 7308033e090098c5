// SPDX-License-Identifier: Apache-2.0
/// What every benchmark reads from its command line and prints.
#pragma once

#include <cstddef>
#include <string>

namespace actorpipe::benchmarks {

/// How often to measure: the first argument, or `fallback`. Exits with usage
/// when it is not a number from 1.
std::size_t rounds_of(int argc, char** argv, std::size_t fallback);

/// Prints one row of the table to the standard output: what, measured,
/// required and verdict, with tabs between. Returns `passed`.
bool print_row(const std::string& what, const std::string& measured,
               const std::string& required, bool passed);

/// Prints a remark, such as the figures behind a ratio, to the standard error.
void remark(const std::string& text);

/// What `main` returns.
int exit_status(bool passed);

} // namespace actorpipe::benchmarks
