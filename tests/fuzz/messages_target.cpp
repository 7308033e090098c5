// SPDX-License-Identifier: Apache-2.0
/// Fuzz target: the wire form of every registered message. The first byte of
/// an input chooses the type.
#include "messages/configure.hpp"
#include "messages/type_ids.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/target.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/deep_to_string.hpp>
#include <caf/span.hpp>

#include <array>
#include <utility>
#include <vector>

namespace {

namespace fuzz = actorpipe::fuzz;

caf::actor_system& shared_system() {
  struct configured : caf::actor_system_config {
    configured() {
      set("scheduler.max-threads", 1);
      actorpipe::configure(*this);
    }
  };
  // Not destroyed: what it needs for that is gone before it is.
  static auto& config = *new configured;
  static auto& system = *new caf::actor_system(config);
  return system;
}

using wire_bytes = caf::span<const caf::byte>;

template <class T>
std::vector<char> encoded(const T& x) {
  std::vector<char> result;
  fuzz::require(!caf::binary_serializer(shared_system(), result)(x),
                "what was decoded can be encoded");
  return result;
}

template <class T>
void check(wire_bytes input) {
  T x;
  caf::error fault;
  fuzz::within_memory(input.size(), [&] {
    fault = caf::binary_deserializer(shared_system(), input)(x);
  });
  static_cast<void>(caf::deep_to_string(x));
  if (fault)
    return;
  // Bytes, since a number in a message may be none.
  const auto first = encoded(x);
  T again;
  fuzz::require(!caf::binary_deserializer(shared_system(), first)(again),
                "what was encoded can be decoded");
  fuzz::require(encoded(again) == first, "a message arrives as it was sent");
}

using block = caf::id_block::actorpipe;

template <std::size_t... I>
constexpr auto checks_of(std::index_sequence<I...>) {
  return std::array{
    &check<typename caf::type_by_id<block::begin + I>::type>...};
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  constexpr auto checks =
    checks_of(std::make_index_sequence<block::end - block::begin>());
  if (size > 0 && bytes[0] < checks.size())
    checks[bytes[0]](
      wire_bytes(reinterpret_cast<const caf::byte*>(bytes + 1), size - 1));
  return 0;
}
