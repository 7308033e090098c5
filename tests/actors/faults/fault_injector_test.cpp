// SPDX-License-Identifier: Apache-2.0
/// Faults happen where and when their rules say, once, and again with the same
/// seed.
#include "actors/faults/fault_injector.hpp"

#include "messages/cluster_messages.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace actorpipe {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Two cells of two layers, each on a device of its own.
plan small_plan() {
  plan result;
  result.cut = {0, 2, 4};
  result.device_of_cell = {0, 1};
  result.programs = {*parse_program("0F0 0B0 0U0"),
                     *parse_program("1F0 1F1 1B0 1B1 1U0")};
  return result;
}

/// One process with these rules, whose faults are written down.
class process {
public:
  process(const std::string& rules, std::uint32_t index)
    : faults_(parse_faults(rules), how_, index, means()) {}

  fault_injector& faults() { return faults_; }

  // Runs the program of a stage; the faults that happened, in words.
  std::string run(std::uint32_t stage, std::int64_t step,
                  std::uint32_t tries = 1) {
    said_.clear();
    for (const auto& x : how_.programs[stage]) {
      faults_.before_action(stage, step, tries, x);
      said_ += to_string(x) + ' ';
      faults_.after_action(stage, step, tries, x);
    }
    return said_;
  }

  const std::string& said() const { return said_; }
  void advance(milliseconds x) { now_ns_ += nanoseconds(x).count(); }

private:
  fault_means means() {
    fault_means result;
    result.kill_process = [this] { said_ += "killed "; };
    result.kill_actor = [this](const fault_target& x) {
      said_ += (x.is_parameter ? "parameter " : "stage ")
             + std::to_string(x.index) + " killed ";
    };
    result.wait = [this](nanoseconds x) {
      said_ += "waited " + std::to_string(x / milliseconds(1)) + ' ';
    };
    result.now_ns = [this] { return now_ns_; };
    return result;
  }

  plan how_ = small_plan();
  std::string said_;
  std::int64_t now_ns_ = 1'000'000'000;
  fault_injector faults_;
};

constexpr auto kill_node = R"(
  [[fault]]
  do = "kill"
  node = 1
  step = 5
  after = "1F1"
)";

TEST(fault_injector_test, a_node_is_killed_where_its_rule_says) {
  process one(kill_node, 1);
  EXPECT_EQ(one.run(1, 4), "1F0 1F1 1B0 1B1 1U0 ");
  EXPECT_EQ(one.run(1, 5), "1F0 1F1 killed 1B0 1B1 1U0 ");
}

TEST(fault_injector_test, another_node_is_not) {
  process other(kill_node, 0);
  EXPECT_EQ(other.run(1, 5), "1F0 1F1 1B0 1B1 1U0 ");
}

// The process that takes over knows nothing of the one before.
TEST(fault_injector_test, a_step_that_begins_again_is_spared) {
  process next(kill_node, 1);
  EXPECT_EQ(next.run(1, 5, 2), "1F0 1F1 1B0 1B1 1U0 ");
}

TEST(fault_injector_test, times_and_try_choose_the_beginnings) {
  process one(std::string(kill_node) + "try = 2\ntimes = 2\n", 1);
  EXPECT_EQ(one.run(1, 5, 1), "1F0 1F1 1B0 1B1 1U0 ");
  EXPECT_EQ(one.run(1, 5, 2), "1F0 1F1 killed 1B0 1B1 1U0 ");
  EXPECT_EQ(one.run(1, 5, 3), "1F0 1F1 killed 1B0 1B1 1U0 ");
  EXPECT_EQ(one.run(1, 5, 4), "1F0 1F1 1B0 1B1 1U0 ");
}

TEST(fault_injector_test, without_an_action_it_is_the_first_of_the_step) {
  process one("[[fault]]\ndo = \"kill\"\nnode = 0\nstep = 2\n", 0);
  EXPECT_EQ(one.run(1, 2), "killed 1F0 1F1 1B0 1B1 1U0 ");
  EXPECT_EQ(one.run(0, 2), "0F0 0B0 0U0 ");
}

TEST(fault_injector_test, one_actor_is_killed_from_its_own_process) {
  process one("[[fault]]\ndo = \"kill\"\nparameter = 1\nstep = 2\n"
              "before = \"1U0\"\n[[fault]]\ndo = \"kill\"\nstage = 0\n"
              "step = 2\n",
              7);
  EXPECT_EQ(one.run(1, 2), "1F0 1F1 1B0 1B1 parameter 1 killed 1U0 ");
  EXPECT_EQ(one.run(0, 2), "stage 0 killed 0F0 0B0 0U0 ");
}

TEST(fault_injector_test, a_layer_throws_in_its_cell_and_is_named) {
  process one("[[fault]]\ndo = \"throw\"\nlayer = 3\nstep = 2\n", 0);
  EXPECT_EQ(one.run(0, 2), "0F0 0B0 0U0 ");
  try {
    one.run(1, 2);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(),
              std::string("fault on purpose: throw in layer 3 at step 2"));
  }
  EXPECT_EQ(one.said(), "");
}

TEST(fault_injector_test, a_stall_waits_within_the_action) {
  process one("[[fault]]\ndo = \"stall\"\nstage = 1\nstep = 2\nfor_ms = 70\n"
              "before = \"1B0\"\n",
              0);
  EXPECT_EQ(one.run(1, 2), "1F0 1F1 waited 70 1B0 1B1 1U0 ");
}

// Which of the first 1000 messages to `peer` get lost.
std::vector<int> lost(process& one, std::uint32_t peer) {
  std::vector<int> result;
  for (int i = 0; i < 1000; ++i)
    if (one.faults().loses_control(peer))
      result.push_back(i);
  return result;
}

TEST(fault_injector_test, control_messages_get_lost_as_the_seed_says) {
  const std::string rule = "[[fault]]\ndo = \"drop_control\"\n"
                           "probability = 0.05\n";
  process a(rule, 0), b(rule, 0), c("seed = 2\n" + rule, 0);
  const auto expected = lost(a, trainer_process);
  EXPECT_GT(expected.size(), 25U);
  EXPECT_LT(expected.size(), 100U);
  EXPECT_EQ(lost(b, trainer_process), expected);
  EXPECT_NE(lost(b, 1), expected);
  EXPECT_NE(lost(c, trainer_process), expected);
}

TEST(fault_injector_test, a_rule_for_one_node_spares_the_others) {
  process trainer("[[fault]]\ndo = \"drop_control\"\nprobability = 1\n"
                  "node = 1\n",
                  trainer_process);
  EXPECT_FALSE(trainer.faults().loses_control(0));
  EXPECT_TRUE(trainer.faults().loses_control(1));
}

TEST(fault_injector_test, a_delay_is_the_mean_and_at_most_its_jitter) {
  process one("[[fault]]\ndo = \"delay_link\"\nbetween = [0, 1]\n"
              "mean_ms = 20\njitter_ms = 10\n",
              1);
  EXPECT_EQ(one.faults().disturbance(2), nullptr);
  const auto link = one.faults().disturbance(0);
  ASSERT_NE(link, nullptr);
  nanoseconds sum{0};
  for (int i = 0; i < 100; ++i) {
    const auto held = link->before({}).hold;
    EXPECT_GE(held, milliseconds(10));
    EXPECT_LE(held, milliseconds(30));
    sum += held;
  }
  EXPECT_NEAR(sum / milliseconds(1), 2000, 200);
}

TEST(fault_injector_test, a_cut_begins_with_its_step_and_ends_by_time) {
  process one("[[fault]]\ndo = \"cut_link\"\nbetween = [\"trainer\", 0]\n"
              "step = 3\nfor_ms = 500\n",
              trainer_process);
  const auto link = one.faults().disturbance(0);
  one.faults().begin(2, 1);
  EXPECT_FALSE(one.faults().loses_control(0));
  one.faults().begin(3, 1);
  one.advance(milliseconds(100));
  EXPECT_TRUE(one.faults().loses_control(0));
  EXPECT_FALSE(one.faults().loses_control(1));
  EXPECT_EQ(link->before({}).hold, milliseconds(400));
  one.advance(milliseconds(400));
  EXPECT_FALSE(one.faults().loses_control(0));
  EXPECT_EQ(link->before({}).hold, nanoseconds(0));
  one.faults().begin(3, 2);
  EXPECT_FALSE(one.faults().loses_control(0));
}

TEST(fault_injector_test, a_bit_flips_in_one_frame_of_one_direction) {
  const std::string rule =
    "[[fault]]\ndo = \"flip_bit\"\nbetween = [0, 1]\nframe = 3\n";
  process from(rule, 0), to(rule, 1);
  const auto out = from.faults().disturbance(1);
  const auto back = to.faults().disturbance(0);
  for (int frame = 1; frame <= 6; ++frame) {
    EXPECT_EQ(out->before({}).flipped_bit.has_value(), frame == 3) << frame;
    EXPECT_FALSE(back->before({}).flipped_bit) << frame;
  }
}

} // namespace
} // namespace actorpipe
