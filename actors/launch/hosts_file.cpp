// SPDX-License-Identifier: Apache-2.0
/// Reading a list of hosts.
#include "actors/launch/hosts_file.hpp"

#include "actors/control/endpoint.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace actorpipe {

namespace {

// The one before the port is what ssh is told; it may name a user.
void read_host(launch_host& into, const std::string& word) {
  const auto at = word.rfind('@');
  const auto user = at == word.npos ? "" : word.substr(0, at + 1);
  const auto rest = word.substr(user.size());
  // Without a port a free one is taken, not the usual one.
  const bool has_port = rest.ends_with(']')   ? false
                      : rest.starts_with('[') ? true
                                              : rest.find(':') != rest.npos;
  const auto where = parse_endpoint(rest);
  into.login = user + where.host;
  into.address = where.host;
  into.port = has_port ? where.port : std::uint16_t{0};
  if (into.login.starts_with('-'))
    throw std::invalid_argument("a host's name does not begin with a dash");
}

std::uint16_t read_port(const std::string& text) {
  std::uint16_t port = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc{} || stop != end)
    throw std::invalid_argument(fmt::format(
      "link_port must be a number from 0 to 65535, got \"{}\"", text));
  return port;
}

void read_setting(launch_host& into, const std::string& word) {
  const auto equals = word.find('=');
  const auto key = word.substr(0, equals);
  const auto value = equals == word.npos ? "" : word.substr(equals + 1);
  if (value.empty())
    throw std::invalid_argument(
      fmt::format("\"{}\" must have the form KEY=VALUE", word));
  if (key == "devices")
    into.devices = split_list(value, "devices");
  else if (key == "command")
    into.command = value;
  else if (key == "address")
    into.address = value;
  else if (key == "link_port")
    into.link_port = read_port(value);
  else
    throw std::invalid_argument(
      fmt::format("unknown key {}; there are devices, command, address, "
                  "link_port",
                  key));
}

} // namespace

std::vector<std::string> split_list(std::string_view text, const char* what) {
  std::vector<std::string> result;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    more = comma != text.npos;
    result.emplace_back(text.substr(0, comma));
    if (result.back().empty())
      throw std::invalid_argument(
        fmt::format("{} must be a list such as a,b, and no part of it may be "
                    "empty",
                    what));
    if (more)
      text.remove_prefix(comma + 1);
  }
  return result;
}

std::vector<launch_host> parse_hosts(std::string_view text,
                                     const std::string& name) {
  std::vector<launch_host> result;
  std::istringstream lines{std::string(text)};
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    if (!(words >> word))
      continue;
    try {
      launch_host host;
      read_host(host, word);
      while (words >> word)
        read_setting(host, word);
      result.push_back(std::move(host));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(
        fmt::format("{}:{}: {}", name, number, error.what()));
    }
  }
  if (result.empty())
    throw std::invalid_argument(
      name
      + ": names no host; a line is HOST[:PORT] [devices=cpu:0,cpu:1] "
        "[command=PATH] [address=HOST] [link_port=PORT]");
  return result;
}

std::vector<launch_host> load_hosts(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad())
    throw std::invalid_argument(
      fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return parse_hosts(text, path);
}

} // namespace actorpipe
