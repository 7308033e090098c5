// SPDX-License-Identifier: Apache-2.0
/// Cutting messages into frames.
#include "actors/link/frame_queue.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace actorpipe {

namespace {

outgoing_frame cut(const link_message& from, std::size_t ordinal,
                   std::uint64_t offset, std::uint64_t most_bytes) {
  outgoing_frame result;
  auto& header = result.header;
  header.message = from.head;
  header.count = static_cast<std::uint32_t>(from.data.tensors.size());
  header.ordinal = static_cast<std::uint32_t>(ordinal);
  result.ready = from.data.ready;
  result.is_last = true;
  if (header.count == 0)
    return result;
  result.of = from.data.tensors[ordinal];
  header.type = result.of.type();
  header.offset = offset;
  const auto rest = static_cast<std::uint64_t>(result.of.size_bytes()) - offset;
  header.length = std::min(rest, most_bytes);
  result.is_last = header.length == rest && ordinal + 1 == header.count;
  return result;
}

} // namespace

std::span<const std::byte> outgoing_frame::data() const noexcept {
  if (header.length == 0)
    return {};
  return {static_cast<const std::byte*>(of.bytes()) + header.offset,
          header.length};
}

outgoing_frame make_frame(const link_message& message) {
  return cut(message, 0, 0, std::numeric_limits<std::uint64_t>::max());
}

void frame_queue::push(link_message message) {
  auto& queue = is_urgent(message.head) ? urgent_ : bulk_;
  queue.push_back({std::move(message)});
}

outgoing_frame frame_queue::pop() {
  const auto from_urgent = !urgent_.empty();
  auto& queue = from_urgent ? urgent_ : bulk_;
  auto& first = queue.front();
  auto result = cut(first.message, first.ordinal, first.offset,
                    from_urgent ? std::numeric_limits<std::uint64_t>::max()
                                : bulk_part_bytes);
  const auto& header = result.header;
  if (result.is_last) {
    queue.pop_front();
  } else if (header.offset + header.length
             == static_cast<std::uint64_t>(header.type.size_bytes())) {
    // A tensor that has gone is not kept for the sake of those after it.
    first.message.data.tensors[first.ordinal] = {};
    ++first.ordinal;
    first.offset = 0;
  } else {
    first.offset += header.length;
  }
  return result;
}

void frame_queue::clear() {
  urgent_.clear();
  bulk_.clear();
}

std::uint64_t bytes_of(const link_message& message) noexcept {
  std::uint64_t result = 0;
  for (const auto& x : message.data.tensors)
    result += static_cast<std::uint64_t>(x.size_bytes());
  return result;
}

} // namespace actorpipe
