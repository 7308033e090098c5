// SPDX-License-Identifier: Apache-2.0
/// Fuzz target: files of faults on purpose.
#include "actors/faults/fault_rules.hpp"
#include "actors/run/config.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/target.hpp"

namespace {

namespace fuzz = actorpipe::fuzz;

// Two cells of one layer, each on a device of its own.
actorpipe::plan small_plan() {
  actorpipe::plan result;
  result.cut = {0, 1, 2};
  result.device_of_cell = {0, 1};
  result.programs = {*actorpipe::parse_program("0F0 0F1 0B1 0B0 0U0"),
                     *actorpipe::parse_program("1F0 1F1 1B1 1B0 1U0")};
  return result;
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const auto plan = small_plan();
  constexpr std::uint32_t nodes = 2;
  fuzz::within_memory(size, [&] {
    try {
      const auto rules = actorpipe::parse_faults(fuzz::text_of(bytes, size));
      for (const auto& rule : rules.all)
        fuzz::require(!to_string(rule).empty(), "a rule has words");
      actorpipe::check_faults(rules, plan, nodes);
    } catch (const actorpipe::config_error& error) {
      fuzz::require(!error.problems().empty(), "an error says what is wrong");
    }
  });
  return 0;
}
