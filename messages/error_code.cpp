// SPDX-License-Identifier: Apache-2.0
/// The names of the error codes.
#include "messages/error_code.hpp"

namespace actorpipe {

std::string_view to_string(error_code code) noexcept {
  switch (code) {
  case error_code::layer_failed:
    return "layer_failed";
  case error_code::not_finite:
    return "not_finite";
  case error_code::protocol_violated:
    return "protocol_violated";
  case error_code::busy:
    return "busy";
  case error_code::bad_batch:
    return "bad_batch";
  case error_code::actor_lost:
    return "actor_lost";
  case error_code::rolled_back:
    return "rolled_back";
  case error_code::stalled:
    return "stalled";
  }
  return "unknown";
}

} // namespace actorpipe
