// SPDX-License-Identifier: Apache-2.0
/// Rules of faults: what is read, what is refused and how it is said.
#include "actors/faults/fault_rules.hpp"

#include "actors/run/config.hpp"
#include "messages/cluster_messages.hpp"
#include "partition/make_plan.hpp"

#include <gtest/gtest.h>

namespace actorpipe {
namespace {

// The problems that a text has, one a line.
std::string refusal(const std::string& text) {
  try {
    parse_faults(text, "f");
  } catch (const config_error& error) {
    std::string result;
    for (const auto& x : error.problems())
      result += x + '\n';
    return result;
  }
  return "none";
}

fault_rule only(const std::string& text) {
  const auto rules = parse_faults("[[fault]]\n" + text);
  EXPECT_EQ(rules.all.size(), 1U);
  return rules.all.at(0);
}

TEST(fault_rules_test, nothing_has_no_rules) {
  EXPECT_EQ(parse_faults(""), fault_rules{});
  EXPECT_EQ(parse_faults("seed = 7\n").seed, 7U);
}

TEST(fault_rules_test, each_kind_reads_in_words) {
  const auto rules = parse_faults(R"(
    seed = 7
    [[fault]]
    do = "kill"
    node = 2
    step = 5
    after = "3F4"
    [[fault]]
    do = "kill"
    parameter = 1
    step = 0
    try = 2
    times = 3
    [[fault]]
    do = "drop_control"
    probability = 0.01
    [[fault]]
    do = "delay_link"
    between = [0, 1]
    mean_ms = 20
    jitter_ms = 10
    [[fault]]
    do = "cut_link"
    between = [1, "trainer"]
    step = 4
    for_ms = 5000
    [[fault]]
    do = "throw"
    layer = 7
    step = 3
    [[fault]]
    do = "flip_bit"
    between = [0, 1]
    frame = 12
    [[fault]]
    do = "stall"
    stage = 1
    step = 2
    for_ms = 60000
    before = "1B0"
  )");
  std::vector<std::string> words;
  for (const auto& x : rules.all)
    words.push_back(to_string(x));
  EXPECT_EQ(
    words,
    (std::vector<std::string>{
      "kill node 2 at step 5 after 3F4",
      "kill parameter 1 at step 0, try 2, 3 times",
      "drop 1 % of the control messages", "delay link 0-1 by 20 ms +- 10",
      "cut link 1-trainer for 5000 ms at step 4", "throw in layer 7 at step 3",
      "flip a bit in frame 12 from 0 to 1",
      "stall stage 1 for 60000 ms at step 2 before 1B0"}));
  EXPECT_EQ(rules.all[4].between,
            (std::array<std::uint32_t, 2>{1, trainer_process}));
}

TEST(fault_rules_test, an_unknown_kind_is_told_with_all_kinds) {
  EXPECT_EQ(refusal("[[fault]]\ndo = \"explode\"\n"),
            "f:2: do must be one of \"kill\", \"drop_control\", "
            "\"delay_link\", \"cut_link\", \"throw\", \"flip_bit\", \"stall\", "
            "got \"explode\"\n");
}

TEST(fault_rules_test, a_key_of_another_kind_is_told_with_those_there_are) {
  EXPECT_EQ(refusal("[[fault]]\ndo = \"flip_bit\"\nbetween = [0, 1]\n"
                    "frame = 1\nstep = 2\n"),
            "f:5: flip_bit has no key step; there are between, frame\n");
}

TEST(fault_rules_test, every_problem_of_a_text_is_told) {
  EXPECT_EQ(refusal("sed = 1\n[[fault]]\ndo = \"kill\"\nnode = -1\n"
                    "after = \"F\"\n[[fault]]\ndo = \"drop_control\"\n"
                    "probability = 2\n"),
            "f:5: after must be an action, such as \"3F4\", got \"F\"\n"
            "f:4: node must be an integer from 0 to 4294967294, got -1\n"
            "f:2: kill needs step\n"
            "f:8: probability must be a number from 0 to 1, got 2\n"
            "f:1: unknown key sed; there are seed and [[fault]]\n");
}

TEST(fault_rules_test, a_kill_has_one_target) {
  const auto two =
    refusal("[[fault]]\ndo = \"kill\"\nstep = 1\nnode = 1\nstage = 1\n");
  EXPECT_EQ(two, "f:1: kill needs one of node, stage, parameter\n");
  EXPECT_EQ(refusal("[[fault]]\ndo = \"kill\"\nstep = 1\n"), two);
}

TEST(fault_rules_test, values_that_do_not_fit_each_other_are_refused) {
  EXPECT_EQ(refusal("[[fault]]\ndo = \"stall\"\nstage = 0\nstep = 1\n"
                    "for_ms = 5\nbefore = \"0F0\"\nafter = \"0F0\"\n"),
            "f:7: a fault has before or after, not both\n");
  EXPECT_EQ(refusal("[[fault]]\ndo = \"delay_link\"\nbetween = [0, 1]\n"
                    "mean_ms = 1\njitter_ms = 2\n"),
            "f:5: jitter_ms must be an integer from 0 to mean_ms, 1, got 2\n");
  EXPECT_EQ(refusal("[[fault]]\ndo = \"flip_bit\"\nbetween = [1, 1]\n"
                    "frame = 1\n"),
            "f:3: between must be two different ones of the nodes' indices "
            "and \"trainer\", got a list of 2\n");
}

TEST(fault_rules_test, any_text_is_rules_or_refused) {
  for (const std::string text :
       {"fault = 1", "[fault]", "fault = [1]", "[[fault]]\n", "seed = 1.5",
        "[[fault]]\ndo = 3", "= =", "\xff\xff", "[[fault]]\nbetween = 7"})
    EXPECT_NE(refusal(text), "none") << text;
  EXPECT_NE(refusal(std::string(2001, 'a')), "none");
  EXPECT_NE(refusal(std::string((1 << 20) + 1, '\n')), "none");
  std::string nested = "seed = ";
  for (int i = 0; i < 900; ++i)
    nested += "[ ";
  EXPECT_NE(refusal(nested), "none");
}

class plan_of_faults_test : public ::testing::Test {
protected:
  plan_of_faults_test() {
    plan_options options;
    options.layers = 4;
    options.cells = 2;
    options.costs.assign(4, 1);
    options.micro_batches = 2;
    options.boundaries.resize(5, {{"f32[1]", 4, true}});
    how_ = make_plan(options);
  }

  std::string refusal(const std::string& rule) const {
    try {
      check_faults({1, {only(rule)}}, how_, 3);
    } catch (const config_error& error) {
      return error.problems().at(0);
    }
    return "none";
  }

  plan how_;
};

TEST_F(plan_of_faults_test, what_is_there_is_accepted) {
  EXPECT_EQ(refusal("do = \"kill\"\nnode = 2\nstep = 1\nafter = \"1F1\""),
            "none");
  EXPECT_EQ(refusal("do = \"throw\"\nlayer = 3\nstep = 1\nbefore = \"1B0\""),
            "none");
  EXPECT_EQ(refusal("do = \"cut_link\"\nbetween = [\"trainer\", 1]\nstep = 1\n"
                    "for_ms = 1"),
            "none");
}

TEST_F(plan_of_faults_test, what_is_not_there_is_told_with_what_is) {
  EXPECT_EQ(refusal("do = \"kill\"\nnode = 3\nstep = 1"),
            "fault \"kill node 3 at step 1\": there is no node 3; there are 0 "
            "to 2");
  EXPECT_NE(refusal("do = \"kill\"\nstage = 2\nstep = 1"), "none");
  EXPECT_NE(refusal("do = \"kill\"\nparameter = 2\nstep = 1"), "none");
  EXPECT_NE(refusal("do = \"throw\"\nlayer = 4\nstep = 1"), "none");
  EXPECT_NE(refusal("do = \"flip_bit\"\nbetween = [0, 3]\nframe = 1"), "none");
  EXPECT_NE(refusal("do = \"kill\"\nnode = 1\nstep = 1\nafter = \"1F2\""),
            "none");
}

TEST_F(plan_of_faults_test, an_action_elsewhere_is_refused) {
  EXPECT_NE(refusal("do = \"kill\"\nstage = 0\nstep = 1\nafter = \"1F1\""),
            "none");
  EXPECT_NE(refusal("do = \"kill\"\nparameter = 0\nstep = 1\nafter = \"1F1\""),
            "none");
  EXPECT_NE(refusal("do = \"throw\"\nlayer = 0\nstep = 1\nafter = \"1F1\""),
            "none");
}

} // namespace
} // namespace actorpipe
