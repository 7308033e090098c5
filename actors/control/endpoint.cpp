// SPDX-License-Identifier: Apache-2.0
/// The text form of an endpoint.
#include "actors/control/endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace actorpipe {

namespace {

constexpr std::string_view letters =
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view digits = "0123456789";

bool holds_only(std::string_view text, std::string_view more) {
  return std::ranges::all_of(text, [&](char c) {
    return letters.find(c) != letters.npos || digits.find(c) != digits.npos
        || more.find(c) != more.npos;
  });
}

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw std::invalid_argument(
    fmt::format("\"{}\" is no endpoint: {}; allowed are HOST, HOST:PORT and "
                "[IPv6 ADDRESS]:PORT, such as node7:{}",
                text, why, default_port));
}

/// What follows the host: nothing, or a colon and a port.
std::uint16_t parse_port(std::string_view text, std::string_view rest) {
  if (rest.empty())
    return default_port;
  if (rest.front() != ':')
    refuse(text, "a colon and a port belong after the bracket");
  rest.remove_prefix(1);
  std::uint16_t result = 0;
  const auto end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data(), end, result);
  if (rest.empty() || error != std::errc() || stop != end)
    refuse(text,
           fmt::format("the port \"{}\" is not a number of 0 to 65535", rest));
  return result;
}

} // namespace

endpoint parse_endpoint(std::string_view text) {
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == text.npos)
      refuse(text, "no closing bracket");
    const auto host = text.substr(1, end - 1);
    if (host.find(':') == host.npos || !holds_only(host, ":.%-_"))
      refuse(text, "no IPv6 address in brackets");
    return {std::string(host), parse_port(text, text.substr(end + 1))};
  }
  const auto colon = std::min(text.find(':'), text.size());
  const auto host = text.substr(0, colon);
  const auto rest = text.substr(colon);
  if (rest.find(':', 1) != rest.npos)
    refuse(text, "more than one colon; brackets go around an IPv6 address");
  if (host.empty())
    refuse(text, "no host");
  if (!holds_only(host, ".-_"))
    refuse(text, "a host has letters, digits, dots, dashes and underscores");
  return {std::string(host), parse_port(text, rest)};
}

std::string to_string(const endpoint& x) {
  const auto is_v6 = x.host.find(':') != std::string::npos;
  return is_v6 ? fmt::format("[{}]:{}", x.host, x.port)
               : fmt::format("{}:{}", x.host, x.port);
}

} // namespace actorpipe
