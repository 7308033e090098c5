// SPDX-License-Identifier: Apache-2.0
/// Single values of a run file, and texts that would harm their parser.
#include "actors/run/config_value.hpp"

#include "actors/run/config.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace actorpipe {

namespace {

TEST(toml_real, reads_back_as_the_same_number) {
  using limits = std::numeric_limits<double>;
  for (const double x :
       {0.1, 1.0, -0.0, 1e20, 1e300, limits::denorm_min(), limits::max(),
        limits::infinity(), -limits::infinity()}) {
    const auto table = toml::parse("x = " + toml_real(x));
    const auto* again = table.get("x")->as_floating_point();
    ASSERT_NE(again, nullptr) << toml_real(x);
    EXPECT_EQ(again->get(), x);
  }
}

TEST(toml_real, may_be_no_number) {
  const auto table = toml::parse("x = " + toml_real(std::nan("")));
  EXPECT_TRUE(std::isnan(table.get("x")->as_floating_point()->get()));
}

std::string refusal(const std::string& text) {
  try {
    parse_config(text, "run.toml");
  } catch (const config_error& error) {
    return error.problems().front();
  }
  return {};
}

// `count` keys of 1001 parts, each in the value of the one before it.
std::string nested_keys(int count) {
  std::string key = "a";
  for (int i = 0; i < 1000; ++i)
    key += ".a";
  std::string text = "x = ";
  for (int i = 0; i < count; ++i)
    text += "[\n{ " + key + " = ";
  text += "1";
  for (int i = 0; i < count; ++i)
    text += " }]";
  return text + "\n";
}

TEST(dotted_keys, may_stand_within_each_other) {
  EXPECT_EQ(refusal(nested_keys(10)).rfind("run.toml:1: unknown key x", 0), 0U)
    << refusal(nested_keys(10));
}

TEST(dotted_keys, do_not_overflow_the_stack) {
  EXPECT_EQ(refusal(nested_keys(127)),
            "run.toml: has 127000 dots, at most 10000 are allowed");
}

} // namespace

} // namespace actorpipe
