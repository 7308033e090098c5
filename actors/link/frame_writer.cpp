// SPDX-License-Identifier: Apache-2.0
/// Headers, slices of data, sums.
#include "actors/link/frame_writer.hpp"

#include <array>
#include <vector>

namespace actorpipe {

namespace {

using part = link_stream::part;

// What is written at once is summed while it is in the second level of cache.
constexpr std::size_t slice_bytes = std::size_t{256} << 10;

} // namespace

void frame_writer::write(const outgoing_frame& frame) {
  const auto header = encode(frame.header);
  auto data = frame.data();
  if (data.empty()) {
    const std::array<part, 1> alone{header};
    return to_.write(alone);
  }
  sum_.reset();
  part first = header;
  while (data.size() > slice_bytes) {
    const auto slice = data.first(slice_bytes);
    data = data.subspan(slice_bytes);
    sum_.update(slice);
    const std::array<part, 2> parts{first, slice};
    to_.write(parts);
    first = {};
  }
  sum_.update(data);
  const auto sum = encode_sum(sum_.value());
  const std::array<part, 3> parts{first, data, sum};
  to_.write(parts);
}

bool frame_writer::write_now(const outgoing_frame& frame) {
  const auto header = encode(frame.header);
  const auto data = frame.data();
  if (data.empty()) {
    const std::array<part, 1> alone{header};
    return to_.write_now(alone);
  }
  const auto sum = encode_sum(sum_of(data));
  const std::array<part, 3> parts{header, data, sum};
  return to_.write_now(parts);
}

void frame_writer::write_damaged(const outgoing_frame& frame,
                                 std::uint64_t bit) {
  const auto header = encode(frame.header);
  const auto data = frame.data();
  std::vector<std::byte> bytes(header.begin(), header.end());
  if (!data.empty()) {
    const auto sum = encode_sum(sum_of(data));
    bytes.insert(bytes.end(), data.begin(), data.end());
    bytes.insert(bytes.end(), sum.begin(), sum.end());
  }
  const auto place = bit % (bytes.size() * 8);
  bytes[place / 8] ^= std::byte{1} << (place % 8);
  const std::array<part, 1> all{bytes};
  to_.write(all);
}

} // namespace actorpipe
