// SPDX-License-Identifier: Apache-2.0
/// Where a process can be reached.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace actorpipe {

/// Where nodes listen if nobody says otherwise.
inline constexpr std::uint16_t default_port = 7070;

/// A host by name or address, and a TCP port.
struct endpoint {
  std::string host;       ///< without brackets
  std::uint16_t port = 0; ///< 0: any that is free; only to listen

  friend bool operator==(const endpoint&, const endpoint&) = default;
};

/// Reads "HOST:PORT", "HOST", "[ADDRESS]:PORT" or "[ADDRESS]", the brackets
/// being for addresses of IPv6; the port is `default_port` where none is given.
/// Throws std::invalid_argument that quotes the text and says what is allowed.
endpoint parse_endpoint(std::string_view text);

/// "HOST:PORT", with brackets around an address of IPv6; parses back.
std::string to_string(const endpoint& x);

} // namespace actorpipe
