// SPDX-License-Identifier: Apache-2.0
/// The text form of actions and programs.
#include "partition/action.hpp"

#include <gtest/gtest.h>

namespace actorpipe {
namespace {

TEST(action_text, every_kind_parses_back) {
  for (const auto kind : {action_kind::forward, action_kind::recompute,
                          action_kind::backward, action_kind::input_gradient,
                          action_kind::weight_gradient, action_kind::update}) {
    const action x{12, kind, 4294967295U};
    EXPECT_EQ(parse_action(to_string(x)), x);
  }
  EXPECT_EQ(to_string(action{2, action_kind::forward, 0}), "2F0");
}

TEST(action_text, anything_else_is_refused) {
  for (const auto* text : {"", "F", "2F", "F0", "2X0", "2F0 ", " 2F0", "-1F0",
                           "2f0", "2F0x", "4294967296F0", "2F4294967296"})
    EXPECT_FALSE(parse_action(text)) << text;
}

TEST(program_text, parses_back) {
  const auto* text = "0F0 0F1 0R0 0B0 0I1 0W1 0U0";
  const auto steps = parse_program(text);
  ASSERT_TRUE(steps);
  EXPECT_EQ(steps->size(), 7U);
  EXPECT_EQ(to_string(*steps), text);
}

TEST(program_text, any_number_of_blanks_separates) {
  EXPECT_EQ(parse_program("  0F0   0F1 "), parse_program("0F0 0F1"));
  EXPECT_EQ(parse_program(""), program{});
  EXPECT_FALSE(parse_program("0F0,0F1"));
}

} // namespace
} // namespace actorpipe
