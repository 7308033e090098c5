// SPDX-License-Identifier: Apache-2.0
/// The order of frames and the memory for their data.
#include "actors/link/message_assembly.hpp"

#include "actors/link/link_error.hpp"

#include <utility>

namespace actorpipe {

namespace {

bool is_whole(const frame_header& x) {
  return x.offset + x.length == static_cast<std::uint64_t>(x.type.size_bytes());
}

} // namespace

message_assembly::message_assembly(std::shared_ptr<const link_contract> agreed,
                                   allocation allocate)
  : agreed_(std::move(agreed)), allocate_(std::move(allocate)) {}

message_assembly::unfinished&
message_assembly::slot_of(const link_header& message) {
  return unfinished_[is_urgent(message) ? 0 : 1];
}

void message_assembly::require_next(const unfinished& before,
                                    const frame_header& frame) const {
  const auto fail = [&](const char* what) {
    throw link_error("a frame of " + to_string(frame.message) + " " + what);
  };
  if (!before.latest) {
    if (frame.ordinal != 0 || frame.offset != 0)
      fail("begins in the middle");
    return;
  }
  const auto& latest = *before.latest;
  if (!same_message(latest, frame))
    fail("comes before the message before it has ended");
  if (is_whole(latest)) {
    if (frame.ordinal != latest.ordinal + 1 || frame.offset != 0)
      fail("skips a tensor");
  } else if (frame.ordinal != latest.ordinal || frame.type != latest.type
             || frame.offset != latest.offset + latest.length) {
    fail("skips a part");
  }
}

std::span<std::byte> message_assembly::begin(const frame_header& frame) {
  if (const auto misfit = find_misfit(*agreed_, frame))
    throw link_error(*misfit);
  current_ = &slot_of(frame.message);
  require_next(*current_, frame);
  current_->latest = frame;
  if (frame.count == 0)
    return {};
  if (frame.offset == 0)
    current_->tensors.push_back(allocate_(frame.type));
  auto* const memory =
    static_cast<std::byte*>(current_->tensors.back().bytes());
  return {memory + frame.offset, frame.length};
}

std::optional<link_message> message_assembly::end() {
  const auto& frame = *current_->latest;
  if (frame.count > 0 && (!is_whole(frame) || frame.ordinal + 1 < frame.count))
    return std::nullopt;
  link_message result{frame.message, {std::move(current_->tensors), {}}};
  current_->tensors.clear();
  current_->latest.reset();
  return result;
}

} // namespace actorpipe
