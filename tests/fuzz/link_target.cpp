// SPDX-License-Identifier: Apache-2.0
/// Fuzz target: the frames that come over a link, put together to messages. The
/// first byte of an input says in what pieces the rest arrives.
#include "actors/link/frame_reader.hpp"
#include "actors/link/link_error.hpp"
#include "messages/protocol_version.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace {

namespace fuzz = actorpipe::fuzz;
using actorpipe::dtype;
using actorpipe::tensor_type;

// Run 0; gradients have one tensor, activations of up to four samples too;
// weights have two; a request for a shard has none.
class small_contract : public actorpipe::link_contract {
public:
  std::uint64_t run() const noexcept override { return 0; }

  std::optional<tensors>
  find(const actorpipe::link_header& message) const override {
    if (const auto* x = std::get_if<actorpipe::edge_data>(&message))
      return tensors{one_, !x->gradient};
    if (std::holds_alternative<actorpipe::weights>(message))
      return tensors{two_, false};
    if (std::holds_alternative<actorpipe::fetch>(message))
      return tensors{};
    return std::nullopt;
  }

private:
  std::array<tensor_type, 1> one_{tensor_type{dtype::f32, {4, 3}}};
  std::array<tensor_type, 2> two_{tensor_type{dtype::f64, {0, 2}},
                                  tensor_type{dtype::u8, {5}}};
};

using byte_list = std::vector<std::byte>;

void check(const byte_list& wire, std::size_t piece) {
  static const auto agreed = std::make_shared<const small_contract>();
  std::span<const std::byte> rest(wire);
  const auto read = [&](std::span<std::byte> first,
                        std::span<std::byte> second) {
    std::size_t done = 0;
    for (const auto place : {first, second}) {
      const auto size = std::min({place.size(), piece - done, rest.size()});
      std::ranges::copy(rest.first(size), place.begin());
      rest = rest.subspan(size);
      done += size;
    }
    return done;
  };
  fuzz::within_memory(wire.size(), [&] {
    actorpipe::frame_reader frames(read, {agreed, [](const tensor_type& x) {
                                            return actorpipe::tensor::zeros(x);
                                          }});
    try {
      while (const auto message = frames.next()) {
        const auto wanted = agreed->find(message->head);
        fuzz::require(wanted.has_value(), "a message was agreed on");
        fuzz::require(message->data.tensors.size() == wanted->types.size(),
                      "a message has all its tensors");
        for (std::size_t i = 0; i < wanted->types.size(); ++i) {
          const auto& type = message->data.tensors[i].type();
          fuzz::require(type.type == wanted->types[i].type
                          && type.size_bytes() <= wanted->types[i].size_bytes(),
                        "a tensor has the type that was agreed on");
        }
      }
    } catch (const actorpipe::link_error&) {
      // What it promises.
    }
  });
}

// The same frames with versions and sums that are right.
byte_list sealed(byte_list wire) {
  constexpr std::size_t protocol_at = 4;
  constexpr std::size_t length_at = 144;
  constexpr auto sum_at =
    actorpipe::frame_header_bytes - actorpipe::frame_sum_bytes;
  std::span<std::byte> rest(wire);
  const auto put_sum = [](std::span<std::byte> of, std::byte* to) {
    std::ranges::copy(actorpipe::encode_sum(actorpipe::sum_of(of)), to);
  };
  while (rest.size() >= actorpipe::frame_header_bytes) {
    std::memcpy(rest.data(), "APLF", protocol_at);
    std::memcpy(rest.data() + protocol_at, &actorpipe::protocol_version,
                sizeof(actorpipe::protocol_version));
    put_sum(rest.first(sum_at), rest.data() + sum_at);
    std::uint64_t length = 0;
    std::memcpy(&length, rest.data() + length_at, sizeof(length));
    rest = rest.subspan(actorpipe::frame_header_bytes);
    if (length == 0)
      continue;
    if (rest.size() < actorpipe::frame_sum_bytes
        || length > rest.size() - actorpipe::frame_sum_bytes)
      break;
    put_sum(rest.first(length), rest.data() + length);
    rest = rest.subspan(length + actorpipe::frame_sum_bytes);
  }
  return wire;
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0)
    return 0;
  const std::size_t piece = bytes[0] == 0 ? size : bytes[0];
  const auto* begin = reinterpret_cast<const std::byte*>(bytes);
  const byte_list wire(begin + 1, begin + size);
  check(wire, piece);
  check(sealed(wire), piece);
  return 0;
}
