// SPDX-License-Identifier: Apache-2.0
/// The text form of endpoints, and what is none.
#include "actors/control/endpoint.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace actorpipe {

namespace {

std::string error(std::string_view text) {
  try {
    parse_endpoint(text);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "no error";
}

TEST(endpoint_test, has_a_host_and_a_port) {
  EXPECT_EQ(parse_endpoint("node7:8080"), (endpoint{"node7", 8080}));
  EXPECT_EQ(parse_endpoint("10.0.0.7:0"), (endpoint{"10.0.0.7", 0}));
  EXPECT_EQ(parse_endpoint("a-b.c_d.org:65535"),
            (endpoint{"a-b.c_d.org", 65535}));
}

TEST(endpoint_test, has_the_default_port_where_none_is_given) {
  EXPECT_EQ(parse_endpoint("node7"), (endpoint{"node7", 7070}));
  EXPECT_EQ(parse_endpoint("[::1]"), (endpoint{"::1", 7070}));
}

TEST(endpoint_test, has_brackets_around_an_address_of_ipv6) {
  EXPECT_EQ(parse_endpoint("[::1]:80"), (endpoint{"::1", 80}));
  EXPECT_EQ(parse_endpoint("[fe80::1%eth0]:80"),
            (endpoint{"fe80::1%eth0", 80}));
}

TEST(endpoint_test, parses_what_it_prints) {
  for (const auto* text : {"node7:8080", "[::1]:80", "10.0.0.7:0"})
    EXPECT_EQ(to_string(parse_endpoint(text)), text);
}

TEST(endpoint_test, refuses_what_is_none_and_quotes_it) {
  for (const auto* text :
       {"", ":80", "a:", "a:65536", "a:-1", "a:+1", "a: 1", "a:80x", "a b:80",
        "::1", "a:1:2", "[::1", "[::1]80", "[]:80", "[node7]:80",
        "[::1]:", "http://a", "a/b", "user@a"}) {
    const auto found = error(text);
    const std::string quoted = fmt::format("\"{}\" is no endpoint", text);
    EXPECT_NE(found.find(quoted), std::string::npos) << text << ": " << found;
    EXPECT_NE(found.find("allowed are HOST, HOST:PORT"), std::string::npos);
  }
}

TEST(endpoint_test, says_what_is_wrong) {
  EXPECT_NE(error("a:65536").find("the port \"65536\" is not a number of 0 to "
                                  "65535"),
            std::string::npos);
  EXPECT_NE(error("::1").find("brackets go around"), std::string::npos);
}

} // namespace

} // namespace actorpipe
