// SPDX-License-Identifier: Apache-2.0
/// Faults that rules make in real processes: the run ends with the bits of one
/// without faults, and what was noticed says what it was.
#include "tests/faults/fault_bench.hpp"

namespace actorpipe::test {
namespace {

using kind = cluster_event::kind;

class rules_test : public fault_bench {
protected:
  /// Trains under the rules on two nodes and a spare.
  void survive(const std::string& rules, std::chrono::milliseconds heartbeat =
                                           std::chrono::milliseconds(500)) {
    add_nodes(3);
    auto how = options();
    how.heartbeat = heartbeat;
    how.faults = rules;
    const auto& what = quick_work(2);
    const auto line = make_line(what, how);
    finish(*line, what);
    recoveries_ = line->view().recoveries;
  }

  std::uint32_t recoveries_ = 0;
};

TEST_F(rules_test, a_node_killed_in_the_first_step) {
  survive("[[fault]]\ndo = \"kill\"\nnode = 1\nstep = 1\n");
  EXPECT_EQ(recoveries_, 1U);
  EXPECT_TRUE(holds(events_.text(), "stage 1 on " + nodes_[2]->address()));
}

TEST_F(rules_test, a_node_killed_in_the_last_step) {
  survive("[[fault]]\ndo = \"kill\"\nnode = 0\nstep = 40\nbefore = \"0U0\"\n");
  EXPECT_EQ(recoveries_, 1U);
}

TEST_F(rules_test, the_actor_of_a_stage_killed) {
  survive("[[fault]]\ndo = \"kill\"\nstage = 1\nstep = 5\n");
  EXPECT_TRUE(holds(events_.await(kind::fault), "stage 1 has gone"));
}

TEST_F(rules_test, a_parameter_actor_killed) {
  survive("[[fault]]\ndo = \"kill\"\nparameter = 0\nstep = 5\n");
  EXPECT_TRUE(holds(events_.await(kind::fault),
                    "the parameter actor of cell 0 has gone"));
}

TEST_F(rules_test, a_layer_that_throws_once) {
  survive("[[fault]]\ndo = \"throw\"\nlayer = 4\nstep = 5\n");
  EXPECT_EQ(recoveries_, 0U);
}

TEST_F(rules_test, links_that_are_cut_for_a_while) {
  survive("[[fault]]\ndo = \"cut_link\"\nbetween = [0, 1]\nstep = 5\n"
          "for_ms = 700\n");
}

TEST_F(rules_test, a_trainer_cut_off_from_a_node_for_long) {
  survive("[[fault]]\ndo = \"cut_link\"\nbetween = [1, \"trainer\"]\n"
          "step = 5\nfor_ms = 2500\n");
  EXPECT_TRUE(holds(events_.await(kind::fault), "is silent for"));
}

TEST_F(rules_test, flipped_bits) {
  survive("[[fault]]\ndo = \"flip_bit\"\nbetween = [0, 1]\nframe = 30\n"
          "[[fault]]\ndo = \"flip_bit\"\nbetween = [1, \"trainer\"]\n"
          "frame = 60\n");
  EXPECT_GE(recoveries_, 1U);
  EXPECT_TRUE(holds(nodes_[1]->log() + events_.text(), "is damaged"));
}

TEST_F(rules_test, lost_control_messages_without_a_new_attempt) {
  // No node is silent for so long, however busy the machine is.
  survive("seed = 3\n[[fault]]\ndo = \"drop_control\"\nprobability = 0.01\n",
          std::chrono::seconds(5));
  EXPECT_EQ(recoveries_, 0U) << events_.text();
}

TEST_F(rules_test, two_nodes_at_once) {
  survive("[[fault]]\ndo = \"kill\"\nnode = 0\nstep = 9\n"
          "[[fault]]\ndo = \"kill\"\nstage = 1\nstep = 9\n");
}

TEST_F(rules_test, an_action_that_takes_for_ever) {
  add_nodes(2);
  auto how = options();
  how.faults = "[[fault]]\ndo = \"stall\"\nstage = 1\nstep = 5\n"
               "for_ms = 600000\n";
  how.stall_after = std::chrono::milliseconds(500);
  const auto& what = quick_work(2);
  const auto line = make_line(what, how);
  finish(*line, what);
  EXPECT_TRUE(holds(events_.await(kind::stall), "stage 1 has been computing"));
  EXPECT_TRUE(holds(events_.await(kind::fault), "stage 1 does not return"));
}

TEST_F(rules_test, a_crash_loop_ends_the_run_with_what_happened) {
  node_program_options again;
  again.restarts = true;
  add_node(again);
  add_node(again);
  auto how = options();
  how.faults = "[[fault]]\ndo = \"kill\"\nnode = 1\nstep = 3\ntimes = 1000\n";
  how.restart_budget = 3;
  const auto& what = quick_work(2);
  const auto line = make_line(what, how);
  std::string why;
  try {
    train_to(*line, what, what.steps);
  } catch (const pipeline_error& error) {
    EXPECT_EQ(error.code(), error_code::actor_lost);
    why = error.what();
  }
  EXPECT_TRUE(holds(why, "4 failures within 100 steps"));
  EXPECT_TRUE(holds(why, "after step 2: "));
  EXPECT_GE(nodes_[1]->starts(), 4U);
}

} // namespace
} // namespace actorpipe::test
