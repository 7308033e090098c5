// SPDX-License-Identifier: Apache-2.0
/// What the receiving side of a link accepts.
#pragma once

#include "actors/link/frame.hpp"
#include "compute/tensor/types.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace actorpipe {

/// What messages have to consist of; agreed on before the first one. Safe to
/// use from any thread.
class link_contract {
public:
  /// What one message has to consist of: so many tensors of these types. Valid
  /// as long as the contract.
  struct tensors {
    std::span<const tensor_type> types;
    bool front_varies = false; ///< the outermost extent may be less
  };

  virtual ~link_contract() = default;

  /// Of every message.
  virtual std::uint64_t run() const noexcept = 0;

  /// Nothing when no such message belongs here.
  virtual std::optional<tensors> find(const link_header& message) const = 0;
};

/// Says where a frame does not fit the contract, naming what came and what is
/// allowed; nothing when it fits.
std::optional<std::string> find_misfit(const link_contract& agreed,
                                       const frame_header& frame);

} // namespace actorpipe
