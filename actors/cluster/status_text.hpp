// SPDX-License-Identifier: Apache-2.0
/// How a node is, for a person and for a program.
#pragma once

#include "messages/cluster_messages.hpp"

#include <string>

namespace actorpipe {

/// Several lines: what the node is and does, then the run's nodes as its
/// supervisor last told.
std::string to_text(const node_status& status);

/// The same as a JSON object.
std::string to_json(const node_status& status);

} // namespace actorpipe
