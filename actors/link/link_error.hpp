// SPDX-License-Identifier: Apache-2.0
/// The error of links.
#pragma once

#include <stdexcept>

namespace actorpipe {

/// What both sides say of a connection that the other has ended.
inline constexpr const char* peer_closed = "the peer closed the connection";

/// A link cannot be opened, or has broken. The message says why.
class link_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace actorpipe
