// SPDX-License-Identifier: Apache-2.0
/// The list of hosts that a launcher starts nodes on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace actorpipe {

/// One host, and how a node is started there.
struct launch_host {
  std::string login;           ///< for ssh: a host's name, or "user@host"
  std::string address;         ///< by which other hosts reach it
  std::uint16_t port = 0;      ///< where the node listens; 0: a free one
  std::uint16_t link_port = 0; ///< where it takes links; 0: a free one
  std::vector<std::string> devices{"cpu:0"};
  std::string command = "actorpipe"; ///< the program there

  friend bool operator==(const launch_host&, const launch_host&) = default;
};

/// Reads a list of hosts, one a line:
///
///     # a comment
///     alpha
///     user@beta:7070 devices=cpu:0,cpu:1 command=/opt/bin/actorpipe
///     gamma address=10.0.0.3 link_port=7071
///
/// Throws std::invalid_argument with `name`, the line, and what is allowed.
std::vector<launch_host> parse_hosts(std::string_view text,
                                     const std::string& name);

/// The same of a file. Throws std::invalid_argument when it cannot be read.
std::vector<launch_host> load_hosts(const std::string& path);

/// Splits a list at its commas. Throws std::invalid_argument that names `what`
/// for an empty list or part.
std::vector<std::string> split_list(std::string_view text, const char* what);

} // namespace actorpipe
