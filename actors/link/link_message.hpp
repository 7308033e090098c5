// SPDX-License-Identifier: Apache-2.0
/// A data message on its way to another process.
#pragma once

#include "messages/messages.hpp"
#include "messages/payload.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace actorpipe {

/// What a message says of its tensors, and who it is for. `credit` and `fetch`
/// have none.
using link_header =
  std::variant<edge_data, credit, accumulated, weights, shard, fetch>;

/// A header and its tensors, which are in host memory once `data.ready` is
/// done.
struct link_message {
  link_header head;
  payload data;
};

/// Of the run that the message belongs to.
std::uint64_t run_of(const link_header& x);

/// Whether somebody waits for it to go on computing: it goes before all that is
/// not urgent.
bool is_urgent(const link_header& x) noexcept;

/// For people, such as "the gradient of micro-batch 3 over edge 1".
std::string to_string(const link_header& x);

} // namespace actorpipe
