// SPDX-License-Identifier: Apache-2.0
/// Faults of a link on purpose.
#pragma once

#include "actors/link/frame.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace actorpipe {

/// What happens to one frame. Several may be asked for; they happen in the
/// order of the fields.
struct frame_fault {
  /// The frame and all that come after it go this much later. Nothing passes
  /// meanwhile, and the peer hears nothing: it is how a cut cable looks as well
  /// as a slow one.
  std::chrono::nanoseconds hold{0};
  /// The link breaks in place of this frame: both sides see it.
  bool breaks = false;
  /// This bit of the frame's bytes on the wire (of header, data and sum, modulo
  /// their number) arrives as its opposite.
  std::optional<std::uint64_t> flipped_bit = std::nullopt;
};

/// Asked by the sending side of a link before each frame. A link without one
/// behaves.
class link_disturbance {
public:
  virtual ~link_disturbance() = default;

  /// Called by the link's own thread, for one frame at a time, in the order in
  /// which they go. May block; may be called until the link is destroyed.
  virtual frame_fault before(const frame_header& frame) = 0;
};

} // namespace actorpipe
