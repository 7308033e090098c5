// SPDX-License-Identifier: Apache-2.0
/// What every benchmark reads from its command line and prints.
#include "benchmarks/row.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace actorpipe::benchmarks {

std::size_t rounds_of(int argc, char** argv, std::size_t fallback) {
  if (argc < 2)
    return fallback;
  const std::string_view text(argv[1]);
  std::size_t rounds = 0;
  const auto [end, fault] =
    std::from_chars(text.data(), text.data() + text.size(), rounds);
  if (fault != std::errc() || end != text.data() + text.size() || rounds == 0) {
    fmt::print(stderr, "usage: {} [ROUNDS, at least 1]\n", argv[0]);
    std::exit(2);
  }
  return rounds;
}

bool print_row(const std::string& what, const std::string& measured,
               const std::string& required, bool passed) {
  fmt::print("{}\t{}\t{}\t{}\n", what, measured, required,
             passed ? "met" : "missed");
  std::fflush(stdout);
  return passed;
}

void remark(const std::string& text) {
  fmt::print(stderr, "  {}\n", text);
}

int exit_status(bool passed) {
  return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace actorpipe::benchmarks
