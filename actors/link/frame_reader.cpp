// SPDX-License-Identifier: Apache-2.0
/// Reading ahead a little, and the rest to where it belongs.
#include "actors/link/frame_reader.hpp"

#include "actors/link/link_error.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace actorpipe {

namespace {

// A small frame comes with one read; of a large one so much is copied.
constexpr std::size_t ahead_bytes = std::size_t{16} << 10;

// What is read at once is summed while it is in the second level of cache.
constexpr std::size_t slice_bytes = std::size_t{256} << 10;

} // namespace

frame_reader::frame_reader(source read, message_assembly assembly)
  : read_(std::move(read)), assembly_(std::move(assembly)),
    ahead_(ahead_bytes) {}

std::optional<link_message> frame_reader::next() {
  while (read_header()) {
    const auto place = assembly_.begin(frame_);
    if (!place.empty()) {
      read_data(place);
      compare_sum();
    }
    if (auto message = assembly_.end())
      return message;
  }
  return std::nullopt;
}

std::span<const std::byte> frame_reader::here() const {
  return std::span(ahead_).subspan(begin_, end_ - begin_);
}

// Makes at least so many bytes lie ahead; false when the end comes first.
bool frame_reader::fill(std::size_t bytes) {
  if (end_ - begin_ >= bytes)
    return true;
  std::memmove(ahead_.data(), ahead_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  while (end_ < bytes) {
    const auto got = read_(std::span(ahead_).subspan(end_), {});
    if (got == 0)
      return false;
    end_ += got;
  }
  return true;
}

bool frame_reader::read_header() {
  if (!fill(frame_header_bytes)) {
    if (begin_ == end_)
      return false;
    throw link_error("the connection ended within a frame's header");
  }
  if (const auto fault = decode(here().first<frame_header_bytes>(), frame_))
    throw link_error(*fault);
  begin_ += frame_header_bytes;
  return true;
}

void frame_reader::read_data(std::span<std::byte> place) {
  sum_.reset();
  const auto add = [&](std::size_t count) {
    sum_.update(place.first(count));
    place = place.subspan(count);
  };
  const auto copied = std::min(place.size(), end_ - begin_);
  std::memcpy(place.data(), ahead_.data() + begin_, copied);
  begin_ += copied;
  add(copied);
  if (place.empty())
    return;
  begin_ = 0;
  end_ = 0;
  while (!place.empty()) {
    const auto slice = place.first(std::min(place.size(), slice_bytes));
    const auto is_last = slice.size() == place.size();
    const auto got =
      read_(slice, is_last ? std::span(ahead_) : std::span<std::byte>{});
    if (got == 0)
      throw link_error("the connection ended within "
                       + to_string(frame_.message));
    if (got > slice.size())
      end_ = got - slice.size();
    add(std::min(got, slice.size()));
  }
}

void frame_reader::compare_sum() {
  if (!fill(frame_sum_bytes))
    throw link_error("the connection ended within "
                     + to_string(frame_.message));
  const auto sent = decode_sum(here().first<frame_sum_bytes>());
  begin_ += frame_sum_bytes;
  if (sent != sum_.value())
    throw link_error("the data of " + to_string(frame_.message)
                     + " is damaged");
}

} // namespace actorpipe
