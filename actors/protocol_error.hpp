// SPDX-License-Identifier: Apache-2.0
/// What came from another actor does not fit what is computed.
#pragma once

#include <stdexcept>

namespace actorpipe {

/// Fails a step with the code `protocol_violated`.
class protocol_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace actorpipe
