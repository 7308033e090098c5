// SPDX-License-Identifier: Apache-2.0
/// Fuzz target: models as JSON.
#include "compute/layers/model_spec_json.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/target.hpp"

#include <optional>

namespace fuzz = actorpipe::fuzz;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz::within_memory(size, [&] {
    std::optional<actorpipe::model_spec> model;
    try {
      model = actorpipe::model_spec_from_json(fuzz::text_of(bytes, size));
    } catch (const actorpipe::model_error&) {
      return; // what it promises
    }
    const auto printed = actorpipe::to_json(*model);
    fuzz::require(actorpipe::model_spec_from_json(printed) == model,
                  "a model reads back as printed");
  });
  return 0;
}
