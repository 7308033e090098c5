// SPDX-License-Identifier: Apache-2.0
/// A stage says what went wrong, drops the step, and can begin the next.
#include "tests/actors/stage_bench.hpp"

namespace actorpipe::test {
namespace {

using stage_core_faults_test = stage_bench;

TEST_F(stage_core_faults_test, a_failure_names_stage_action_and_layer) {
  wire_->set(2);
  begin(id(1));
  weights_arrive();
  input_arrives(id(1), 0);
  input_arrives(id(1), 1);
  EXPECT_EQ(run_all(), "cF0:0 F1:0 cF0:1 failed");
  EXPECT_EQ(sent_.failure.id, id(1));
  EXPECT_EQ(sent_.failure.code, error_code::layer_failed);
  EXPECT_EQ(sent_.failure.text,
            "stage 0, action 0F1: layer 1 (trip0): tripped");
}

TEST_F(stage_core_faults_test, a_failed_step_holds_nothing_and_does_nothing) {
  wire_->set(2);
  begin(id(1));
  weights_arrive();
  input_arrives(id(1), 0);
  input_arrives(id(1), 1);
  run_all();
  gradient_arrives(id(1), 0);
  credit_arrives(id(1), 0);
  EXPECT_EQ(run_all(), "");
  data_ = {};
  EXPECT_EQ(activations_->now_bytes(), 0);
}

TEST_F(stage_core_faults_test, an_abandoned_step_can_begin_again) {
  wire_->set(2);
  begin(id(1));
  weights_arrive();
  input_arrives(id(1), 0);
  input_arrives(id(1), 1);
  run_all();
  core_->accept(abandon{run, 1, 0});
  EXPECT_EQ(run_all(), "abandoned1");
  begin(id(2, 1));
  input_arrives(id(2, 1), 0);
  input_arrives(id(2, 1), 1);
  gradient_arrives(id(2, 1), 0);
  gradient_arrives(id(2, 1), 1);
  EXPECT_EQ(run_all(),
            "cF0:0 F1:0 cF0:1 F1:1 cB1:0 cB1:1 accumulated0 finished");
}

TEST_F(stage_core_faults_test, what_an_abandoned_attempt_sent_is_dropped) {
  weights_arrive();
  begin(id(1));
  core_->accept(abandon{run, 1, 0});
  sent_.take();
  begin(id(2, 1));
  input_arrives(id(1), 0);
  input_arrives(id(9, 0), 0);
  EXPECT_EQ(run_all(), "");
  begin(id(9, 0));
  EXPECT_EQ(run_all(), "");
  EXPECT_EQ(core_->cursor(), "0F0");
}

TEST_F(stage_core_faults_test, a_repeated_abandon_is_only_answered) {
  weights_arrive();
  core_->accept(abandon{run, 1, 0});
  sent_.take();
  begin(id(2, 1));
  input_arrives(id(2, 1), 0);
  core_->accept(abandon{run, 1, 0});
  EXPECT_EQ(run_all(), "abandoned1 cF0:0 F1:0");
  core_->accept(abandon{run, 0, 0});
  EXPECT_EQ(core_->cursor(), "0F1");
  EXPECT_EQ(run_all(), "");
}

TEST_F(stage_core_faults_test, abandoned_weights_no_longer_count) {
  weights_arrive(1, 0);
  weights_arrive(2, 1);
  core_->accept(abandon{run, 1, 0});
  sent_.take();
  begin(id(2, 1));
  input_arrives(id(2, 1), 0);
  EXPECT_EQ(run_all(), "");
  weights_arrive(3, 0, 0);
  EXPECT_EQ(run_all(), "") << "of the abandoned attempt";
  weights_arrive(4, 0, 1);
  EXPECT_EQ(run_all(), "cF0:0 F1:0");
}

TEST_F(stage_core_faults_test, a_tensor_without_a_credit_breaks_the_protocol) {
  begin(id(1), "0F0 0F1 0F2 0B0 0B1 0B2 0U0");
  for (std::uint32_t m = 0; m < 3; ++m)
    input_arrives(id(1), m);
  EXPECT_EQ(run_all(), "failed");
  EXPECT_EQ(sent_.failure.code, error_code::protocol_violated);
  EXPECT_NE(sent_.failure.text.find("edge 0 brought micro-batch 2"),
            std::string::npos);
}

TEST_F(stage_core_faults_test, what_comes_early_is_bounded_too) {
  weights_arrive();
  for (std::uint32_t m = 0; m < 100; ++m)
    input_arrives(id(3), m);
  EXPECT_EQ(sent_.failure.id, id(3));
  EXPECT_EQ(sent_.failure.code, error_code::protocol_violated);
  sent_.take();
  begin(id(3));
  EXPECT_EQ(run_all(), "cF0:0 F1:0 cF0:1 F1:1");
}

TEST_F(stage_core_faults_test, only_the_latest_step_to_come_is_kept_for) {
  weights_arrive();
  for (std::uint64_t batch = 2; batch < 100; ++batch)
    input_arrives(id(batch), 0);
  input_arrives(id(50), 1);
  data_ = {};
  EXPECT_GT(activations_->now_bytes(), 0);
  begin(id(99));
  EXPECT_EQ(run_all(), "cF0:0 F1:0");
}

TEST_F(stage_core_faults_test, an_unknown_edge_breaks_the_protocol) {
  begin(id(1));
  core_->accept(edge_data{id(1), 0, 17, false}, {});
  EXPECT_EQ(run_all(), "failed");
  EXPECT_NE(sent_.failure.text.find("edge 17"), std::string::npos);
}

TEST_F(stage_core_faults_test, a_credit_for_nothing_breaks_the_protocol) {
  begin(id(1));
  credit_arrives(id(1), 0);
  EXPECT_EQ(run_all(), "failed");
  EXPECT_EQ(sent_.failure.code, error_code::protocol_violated);
}

TEST_F(stage_core_faults_test, a_late_credit_is_dropped) {
  begin(id(2));
  credit_arrives(id(1), 0);
  credit_arrives(id(3), 0);
  EXPECT_EQ(run_all(), "");
}

TEST_F(stage_core_faults_test, half_a_backward_is_refused) {
  begin(id(1), "0F0 0I0 0W0");
  weights_arrive();
  input_arrives(id(1), 0);
  EXPECT_EQ(run_all(), "cF0:0 F1:0 failed");
  EXPECT_NE(sent_.failure.text.find("0I0"), std::string::npos);
}

} // namespace
} // namespace actorpipe::test
