// SPDX-License-Identifier: Apache-2.0
/// Puts messages together from the frames of a link.
#pragma once

#include "actors/link/frame.hpp"
#include "actors/link/link_contract.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace actorpipe {

/// The parts of a tensor come in order, and so do the tensors of a message. At
/// most one message that is urgent and one that is not are being put together:
/// the frames of the former may come between those of the latter. Memory is
/// asked for when a tensor's first part has come and fits the contract. Used by
/// one thread.
class message_assembly {
public:
  /// Makes host memory for one tensor.
  using allocation = std::function<tensor(const tensor_type&)>;

  message_assembly(std::shared_ptr<const link_contract> agreed,
                   allocation allocate);

  /// Where the data of `frame` belongs; `frame.length` bytes. Throws
  /// `link_error` when the frame is not what was agreed on or does not follow
  /// the one before, and what `allocate` throws.
  std::span<std::byte> begin(const frame_header& frame);

  /// The data of the last frame is there and right: the message, if that was
  /// its last part.
  std::optional<link_message> end();

private:
  struct unfinished {
    std::optional<frame_header> latest; ///< nothing: no message
    tensor_list tensors;
  };

  unfinished& slot_of(const link_header& message);
  void require_next(const unfinished& before, const frame_header& frame) const;

  std::shared_ptr<const link_contract> agreed_;
  allocation allocate_;
  std::array<unfinished, 2> unfinished_;
  unfinished* current_ = nullptr;
};

} // namespace actorpipe
