// SPDX-License-Identifier: Apache-2.0
/// Lists of hosts, and what is said about wrong ones.
#include "actors/launch/hosts_file.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace actorpipe {

namespace {

using strings = std::vector<std::string>;

std::string problem(const std::string& text) {
  try {
    parse_hosts(text, "hosts");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no problem";
}

TEST(hosts_file, has_a_host_a_line) {
  const auto hosts = parse_hosts("# all of them\n"
                                 "alpha\n"
                                 "\n"
                                 "user@beta:7070 devices=cpu:0,cpu:1 "
                                 "command=/opt/bin/actorpipe # slow\n"
                                 "[::1]:80 address=10.0.0.3 link_port=7071\n"
                                 "[fe80::1]\n",
                                 "hosts");
  ASSERT_EQ(hosts.size(), 4U);
  EXPECT_EQ(hosts[0], (launch_host{"alpha", "alpha"}));
  EXPECT_EQ(hosts[1],
            (launch_host{"user@beta", "beta", 7070, 0,
                         strings{"cpu:0", "cpu:1"}, "/opt/bin/actorpipe"}));
  EXPECT_EQ(hosts[2], (launch_host{"::1", "10.0.0.3", 80, 7071}));
  EXPECT_EQ(hosts[3].port, 0);
}

TEST(hosts_file, names_the_line_that_is_wrong) {
  EXPECT_EQ(problem("a\nb colour=red\n"),
            "hosts:2: unknown key colour; there are devices, command, address, "
            "link_port");
  EXPECT_EQ(problem("a devices\n"),
            "hosts:1: \"devices\" must have the form KEY=VALUE");
  EXPECT_EQ(problem("a devices=cpu:0,,cpu:1\n").rfind("hosts:1: devices", 0),
            0U);
  EXPECT_EQ(
    problem("a link_port=many\n"),
    "hosts:1: link_port must be a number from 0 to 65535, got \"many\"");
  EXPECT_EQ(problem("a:port\n").rfind("hosts:1: ", 0), 0U);
}

TEST(hosts_file, does_not_pass_options_as_hosts) {
  EXPECT_EQ(problem("-oProxyCommand=x@host\n"),
            "hosts:1: a host's name does not begin with a dash");
}

TEST(hosts_file, names_at_least_one_host) {
  EXPECT_EQ(problem("# nobody\n").rfind("hosts: names no host; a line is ", 0),
            0U);
  EXPECT_THROW(load_hosts("/nowhere/hosts"), std::invalid_argument);
}

TEST(split_list, takes_no_empty_part) {
  EXPECT_EQ(split_list("a,b", "x"), (strings{"a", "b"}));
  for (const auto* text : {"", ",", "a,", ",a"})
    EXPECT_THROW(split_list(text, "x"), std::invalid_argument) << text;
}

} // namespace

} // namespace actorpipe
