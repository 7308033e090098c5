// SPDX-License-Identifier: Apache-2.0
/// Fuzz target: headers of frames. What an input lacks is zero.
#include "actors/link/data_sum.hpp"
#include "actors/link/frame.hpp"
#include "messages/protocol_version.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <cstring>

namespace {

namespace fuzz = actorpipe::fuzz;

void check(const actorpipe::frame_header_block& block) {
  fuzz::within_memory(block.size(), [&] {
    actorpipe::frame_header header;
    if (const auto fault = actorpipe::decode(block, header)) {
      fuzz::require(!fault->empty(), "a fault has words");
      return;
    }
    fuzz::require(actorpipe::encode(header) == block,
                  "a header reads back as written");
    const auto size = static_cast<std::uint64_t>(header.type.size_bytes());
    fuzz::require(header.offset <= size
                    && header.length <= size - header.offset,
                  "a part lies within its tensor");
    fuzz::require(!to_string(header.message).empty(), "a message has words");
  });
}

// The same header with a version and a sum that are right.
actorpipe::frame_header_block sealed(actorpipe::frame_header_block block) {
  constexpr std::size_t protocol_at = 4;
  std::memcpy(block.data(), "APLF", protocol_at);
  std::memcpy(block.data() + protocol_at, &actorpipe::protocol_version,
              sizeof(actorpipe::protocol_version));
  constexpr auto sum_at =
    actorpipe::frame_header_bytes - actorpipe::frame_sum_bytes;
  const auto sum =
    actorpipe::encode_sum(actorpipe::sum_of(std::span(block).first(sum_at)));
  std::ranges::copy(sum, block.begin() + sum_at);
  return block;
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  actorpipe::frame_header_block block{};
  std::copy_n(reinterpret_cast<const std::byte*>(bytes),
              std::min(size, block.size()), block.begin());
  check(block);
  check(sealed(block));
  return 0;
}
