// SPDX-License-Identifier: Apache-2.0
/// Fuzz target: addresses of processes.
#include "actors/control/endpoint.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/target.hpp"

#include <optional>
#include <stdexcept>

namespace fuzz = actorpipe::fuzz;

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz::within_memory(size, [&] {
    std::optional<actorpipe::endpoint> x;
    try {
      x = actorpipe::parse_endpoint(fuzz::text_of(bytes, size));
    } catch (const std::invalid_argument&) {
      return; // what it promises
    }
    fuzz::require(!x->host.empty(), "an endpoint has a host");
    fuzz::require(actorpipe::parse_endpoint(to_string(*x)) == x,
                  "an endpoint reads back as printed");
  });
  return 0;
}
