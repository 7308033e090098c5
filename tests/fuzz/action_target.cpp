// SPDX-License-Identifier: Apache-2.0
/// Fuzz target: the text form of actions and programs.
#include "partition/action.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/target.hpp"

namespace fuzz = actorpipe::fuzz;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto text = fuzz::text_of(bytes, size);
  fuzz::within_memory(size, [&] {
    if (const auto x = actorpipe::parse_program(text))
      fuzz::require(actorpipe::parse_program(actorpipe::to_string(*x)) == x,
                    "a program reads back as printed");
    if (const auto x = actorpipe::parse_action(text))
      fuzz::require(actorpipe::parse_action(actorpipe::to_string(*x)) == x,
                    "an action reads back as printed");
  });
  return 0;
}
