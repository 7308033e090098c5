// SPDX-License-Identifier: Apache-2.0
/// Fuzz target: run files. What follows a zero byte, up to the next, is an
/// override as `--set` takes it.
#include "actors/run/config.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace {

namespace fuzz = actorpipe::fuzz;

std::vector<std::string> split_at_zeros(std::string_view text) {
  std::vector<std::string> result(1);
  for (const char c : text)
    if (c == '\0')
      result.emplace_back();
    else
      result.back() += c;
  return result;
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  auto overrides = split_at_zeros(fuzz::text_of(bytes, size));
  const auto text = overrides.front();
  overrides.erase(overrides.begin());
  fuzz::within_memory(size, [&] {
    std::string printed;
    try {
      printed = to_toml(actorpipe::parse_config(text, "input", overrides));
    } catch (const actorpipe::config_error& error) {
      fuzz::require(!error.problems().empty(), "an error says what is wrong");
      return;
    }
    fuzz::require(to_toml(actorpipe::parse_config(printed, "printed"))
                    == printed,
                  "a run file reads back as printed");
  });
  return 0;
}
