// SPDX-License-Identifier: Apache-2.0
/// What a stall report says, for each kind of cause.
#include "actors/stall/stall_report.hpp"

#include "stall_bench.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {
namespace {

using enum standing::state;

class stall_report_test : public ::testing::Test, protected stall_bench {
protected:
  std::string report() const {
    return make_stall_report(how, now, 3 * second_ns).text;
  }

  // The lines that name causes.
  std::string causes() const {
    const auto text = report();
    return text.substr(0, text.find("\nstage") + 1);
  }
};

TEST_F(stall_report_test, a_stage_that_computes) {
  how.edges[1].credits = 1;
  put(0, waiting, "0F2", {credit_of(1, 2)}, 12);
  put(1, computing, "1F0");
  put(2, waiting, "2F0", {activation(2, 0)}, 13);
  EXPECT_EQ(
    report(),
    "cause: stage 1 has been computing 1F0 (layers 2 to 3) for 11.0 s\n"
    "stage 0 waits at 0F2 for a credit of edge 1 for activations (due when "
    "1F1 starts) from stage 1, for 12.0 s\n"
    "stage 1 computes 1F0 (layers 2 to 3), for 11.0 s\n"
    "stage 2 waits at 2F0 for the activation of micro-batch 0 (1F0) from "
    "stage 1 over edge 2, for 13.0 s\n"
    "device 0 | 0F0 0F1 0F2 0B0 0F3 0B1 0B2 0B3 0U0\n"
    "                   ^^^ waits\n"
    "device 1 | 1F0 1F1 1B0 1F2 1B1 1F3 1B2 1B3 1U0\n"
    "           ^^^ computes\n"
    "device 2 | 2F0 2B0 2F1 2B1 2F2 2B2 2F3 2B3 2U0\n"
    "           ^^^ waits\n");
}

TEST_F(stall_report_test, a_stage_without_a_sign_of_life) {
  put(0, waiting, "0B0", {gradient(1, 0)});
  put(1, computing, "1F1", {}, 1);
  put(2, waiting, "2F1", {activation(2, 1)});
  now.silent_ns = {second_ns / 5, 31 * second_ns, second_ns / 5};
  EXPECT_EQ(
    report(),
    "cause: stage 1 has given no sign of life for 31.0 s; it was computing "
    "1F1 (layers 2 to 3)\n"
    "stage 0 waits at 0B0 for the gradient of micro-batch 0 (1B0) from stage "
    "1 over edge 1, for 11.2 s; last sign of life 0.2 s ago\n"
    "stage 1 computes 1F1 (layers 2 to 3), for 32.0 s; last sign of life 31.0 "
    "s ago\n"
    "stage 2 waits at 2F1 for the activation of micro-batch 1 (1F1) from "
    "stage 1 over edge 2, for 11.2 s; last sign of life 0.2 s ago\n"
    "device 0 | 0F0 0F1 0F2 0B0 0F3 0B1 0B2 0B3 0U0\n"
    "                       ^^^ waits\n"
    "device 1 | 1F0 1F1 1B0 1F2 1B1 1F3 1B2 1B3 1U0\n"
    "               ^^^ computes\n"
    "device 2 | 2F0 2B0 2F1 2B1 2F2 2B2 2F3 2B3 2U0\n"
    "                   ^^^ waits\n");
}

TEST_F(stall_report_test, a_tensor_lost_on_a_link) {
  put(0, waiting, "0B0", {gradient(1, 0)});
  put(1, waiting, "1B0", {gradient(2, 0)});
  put(2, waiting, "2F0", {activation(2, 0)});
  EXPECT_EQ(
    causes(),
    "cause: lost or held up between stage 1 and stage 2: the activation of "
    "micro-batch 0 (1F0) from stage 1 over edge 2\n");
}

TEST_F(stall_report_test, a_credit_lost_on_a_link) {
  how.edges[1].credits = 1;
  put(0, waiting, "0F2", {credit_of(1, 2)});
  put(1, waiting, "1B0", {gradient(2, 0)});
  put(2, computing, "2F0");
  EXPECT_EQ(
    causes(),
    "cause: lost or held up between stage 1 and stage 0: a credit of edge 1 "
    "for activations (due when 1F1 starts) from stage 1\n"
    "and: stage 2 has been computing 2F0 (layers 4 to 5) for 11.0 s\n");
}

TEST_F(stall_report_test, a_credit_is_due_when_the_action_starts) {
  how.edges[1].credits = 1;
  put(0, waiting, "0F1", {credit_of(1, 1)});
  put(1, computing, "1F0");
  put(2, waiting, "2F0", {activation(2, 0)});
  EXPECT_EQ(causes(),
            "cause: lost or held up between stage 1 and stage 0: a credit of "
            "edge 1 for activations (due when 1F0 starts) from stage 1\n"
            "and: stage 1 has been computing 1F0 (layers 2 to 3) for 11.0 s\n");
}

TEST_F(stall_report_test, weights_that_did_not_come) {
  put(0, waiting, "0F0", {weights_of(2)});
  put(1, waiting, "1F0", {activation(1, 0)});
  put(2, waiting, "2F0", {activation(2, 0)});
  EXPECT_EQ(
    causes(),
    "cause: lost or held up between the parameters of cell 2 (stage 2) and "
    "stage 0: the weights of cell 2 from stage 2\n");
}

TEST_F(stall_report_test, what_the_scheduler_feeds) {
  put(0, waiting, "0F2", {activation(0, 2)});
  put(1, waiting, "1F2", {activation(1, 2)});
  put(2, waiting, "2F1", {activation(3, 1)});
  EXPECT_EQ(
    causes(),
    "cause: not fed, or lost or held up on the way to stage 0: the input of "
    "micro-batch 2 from the scheduler over edge 0\n"
    "and: not fed, or lost or held up on the way to stage 2: the targets of "
    "micro-batch 1 from the scheduler over edge 3\n");
}

TEST_F(stall_report_test, a_stage_that_failed) {
  put(0, waiting, "0B0", {gradient(1, 0)});
  put(1, waiting, "1B0", {gradient(2, 0)});
  put(2, failed, "2B0");
  EXPECT_EQ(
    causes(),
    "cause: stage 2 failed at 2B0 (layers 4 to 5), and the mini-batch was not "
    "ended\n");
}

TEST_F(stall_report_test, a_stage_that_failed_after_its_last_action) {
  put_done(0);
  put_done(1);
  put({2, {1, 0, 5}, failed, {}, 9, second_ns, {}});
  EXPECT_EQ(causes(),
            "cause: stage 2 failed, and the mini-batch was not ended\n");
}

TEST_F(stall_report_test, a_stage_that_has_not_begun) {
  put(0, waiting, "0B0", {gradient(1, 0)});
  put(1, waiting, "1B0", {gradient(2, 0)});
  put_behind(2);
  EXPECT_EQ(
    report(),
    "cause: stage 2 has not begun the mini-batch\n"
    "stage 0 waits at 0B0 for the gradient of micro-batch 0 (1B0) from stage "
    "1 over edge 1, for 11.0 s\n"
    "stage 1 waits at 1B0 for the gradient of micro-batch 0 (2B0) from stage "
    "2 over edge 2, for 11.0 s\n"
    "stage 2 has no mini-batch at hand, for 2.0 s\n"
    "device 0 | 0F0 0F1 0F2 0B0 0F3 0B1 0B2 0B3 0U0\n"
    "                       ^^^ waits\n"
    "device 1 | 1F0 1F1 1B0 1F2 1B1 1F3 1B2 1B3 1U0\n"
    "                   ^^^ waits\n"
    "device 2 | 2F0 2B0 2F1 2B1 2F2 2B2 2F3 2B3 2U0\n");
}

TEST_F(stall_report_test, a_stage_that_has_left_the_mini_batch) {
  put(0, waiting, "0B0", {gradient(1, 0)});
  put(1, waiting, "1B0", {gradient(2, 0)});
  put(2, idle, "2F0");
  EXPECT_EQ(causes(), "cause: stage 2 has not begun the mini-batch\n");
}

TEST_F(stall_report_test, a_stage_that_lacks_nothing) {
  put(0, waiting, "0B0", {gradient(1, 0)});
  put(1, waiting, "1F1");
  put(2, waiting, "2F1", {activation(2, 1)});
  EXPECT_EQ(causes(),
            "cause: stage 1 has all that 1F1 (layers 2 to 3) needs and has not "
            "started it\n");
}

TEST_F(stall_report_test, parameter_actors) {
  for (std::uint32_t s = 0; s < 3; ++s)
    put_done(s);
  now.awaited_cells = {0, 2};
  EXPECT_EQ(
    report(),
    "cause: no stage works or waits: the scheduler awaits the parameter "
    "actors or the keepers of cell 0 (stage 0), cell 2 (stage 2)\n"
    "stage 0 is done, for 1.0 s\n"
    "stage 1 is done, for 1.0 s\n"
    "stage 2 is done, for 1.0 s\n");
  now.awaited_cells = {1};
  EXPECT_EQ(
    causes(),
    "cause: no stage works or waits: the scheduler awaits the parameter "
    "actors or the keepers of cell 1 (stage 1)\n");
}

TEST_F(stall_report_test, the_scheduler) {
  for (std::uint32_t s = 0; s < 3; ++s)
    put_done(s);
  EXPECT_EQ(
    causes(),
    "cause: no stage works or waits: the scheduler or the parameter actors "
    "are awaited\n");
}

TEST_F(stall_report_test, a_deadlock) {
  how.programs[1] = *parse_program("1F0 1B0 1F1 1F2 1F3 1B1 1B2 1B3 1U0");
  how.programs[2] = *parse_program("2F0 2F1 2B0 2F2 2F3 2B1 2B2 2B3 2U0");
  put(0, waiting, "0B0", {gradient(1, 0)});
  put(1, waiting, "1B0", {gradient(2, 0)});
  put(2, waiting, "2F1", {activation(2, 1)});
  EXPECT_EQ(
    report(),
    "cause: deadlock: stage 1 waits for stage 2, stage 2 waits for stage 1\n"
    "stage 0 waits at 0B0 for the gradient of micro-batch 0 (1B0) from stage "
    "1 over edge 1, for 11.0 s\n"
    "stage 1 waits at 1B0 for the gradient of micro-batch 0 (2B0) from stage "
    "2 over edge 2, for 11.0 s\n"
    "stage 2 waits at 2F1 for the activation of micro-batch 1 (1F1) from "
    "stage 1 over edge 2, for 11.0 s\n"
    "device 0 | 0F0 0F1 0F2 0B0 0F3 0B1 0B2 0B3 0U0\n"
    "                       ^^^ waits\n"
    "device 1 | 1F0 1B0 1F1 1F2 1F3 1B1 1B2 1B3 1U0\n"
    "               ^^^ waits\n"
    "device 2 | 2F0 2F1 2B0 2F2 2F3 2B1 2B2 2B3 2U0\n"
    "               ^^^ waits\n");
}

TEST_F(stall_report_test, a_stage_of_weights_that_did_not_come_is_lost) {
  put(0, waiting, "0F0", {weights_of(2)});
  put(1, waiting, "1F0", {activation(1, 0)});
  put(2, waiting, "2F0", {activation(2, 0)});
  now.silent_ns = {0, 0, 4 * second_ns};
  EXPECT_EQ(causes(), "cause: stage 2 has given no sign of life for 4.0 s\n");
}

TEST_F(stall_report_test, what_does_not_fit_the_plan_is_left_out) {
  put(0, waiting, "0B0", {gradient(99, 0), weights_of(99), activation(2, 77)});
  put({99, {1, 0, 5}, waiting, {}, 0, 0, {}});
  put({1, {1, 0, 5}, computing, {88, action_kind::forward, 99}, 77, 0, {}});
  put({2, {1, 0, 5}, waiting, {}, 1, 0, {{missing::what{9}, 0, false, 0}}});
  now.awaited_cells = {99};
  now.silent_ns = {1, 2};
  EXPECT_EQ(causes(),
            "cause: stage 1 has been computing 88F99 for 0.0 s\n"
            "and: stage 2 has all that 0F0 (layers 0 to 1) needs and has not "
            "started it\n");
}

TEST_F(stall_report_test, accounts_that_contradict_each_other_end_as_well) {
  put(0, waiting, "0B0", {gradient(1, 9)});
  put(1, waiting, "1B0", {gradient(2, 9)});
  put_done(2);
  EXPECT_NE(causes(), "");
}

TEST_F(stall_report_test, of_many_stages_shows_those_near_the_cause) {
  how.cut.clear();
  how.device_of_cell.clear();
  how.programs.clear();
  for (std::uint32_t k = 0; k < 100; ++k) {
    how.device_of_cell.push_back(k);
    how.programs.push_back({{k, action_kind::forward, 0}});
    put_done(k);
  }
  put(70, computing, "70F0");
  const auto text = report();
  EXPECT_EQ(causes(), "cause: stage 70 has been computing 70F0 for 11.0 s\n");
  EXPECT_EQ(text.find("stage 61 "), text.npos) << text;
  EXPECT_NE(text.find("stage 63 "), text.npos) << text;
  EXPECT_NE(text.find("stage 77 "), text.npos) << text;
  EXPECT_NE(text.find("and 84 stages further away\n"), text.npos) << text;
}

} // namespace
} // namespace actorpipe::test
