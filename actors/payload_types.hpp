// SPDX-License-Identifier: Apache-2.0
/// Which tensors a message must bring, and what is wrong with those it brings:
/// it may come from another process.
#pragma once

#include "actors/parameter_layout.hpp"
#include "compute/model/model.hpp"
#include "messages/messages.hpp"
#include "messages/payload.hpp"
#include "partition/plan.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace actorpipe {

/// Of `weights` of `owner` for `user`. `cut` as in `plan::cut`.
std::vector<tensor_type> weights_types(const model& source,
                                       const parameter_layout& layout,
                                       std::span<const std::size_t> cut,
                                       std::uint32_t owner, std::uint32_t user);

/// Of `accumulated` of `user` for `owner`.
std::vector<tensor_type> accumulated_types(const model& source,
                                           const parameter_layout& layout,
                                           std::span<const std::size_t> cut,
                                           std::uint32_t owner,
                                           std::uint32_t user);

// What is wrong, for a person; empty when the message fits.

/// At `stage`. The samples and the rest of the shape depend on the mini-batch
/// and are not looked at, but the size is.
std::optional<std::string> find_fault(const plan& how, std::uint32_t stage,
                                      const edge_data& header,
                                      const payload& data);

/// At `stage`.
std::optional<std::string>
find_fault(const model& source, const parameter_layout& layout, const plan& how,
           std::uint32_t stage, const weights& header, const payload& data);

/// At the parameter actor of `owner`.
std::optional<std::string>
find_fault(const model& source, const parameter_layout& layout, const plan& how,
           std::uint32_t owner, const accumulated& header, const payload& data);

} // namespace actorpipe
