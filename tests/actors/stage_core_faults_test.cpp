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
  weights_arrive(2, 0, 1);
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
  core_->accept(abandon{run, 1, 0});
  sent_.take();
  weights_arrive(1, 0, 1);
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
  weights_arrive(1, 0, 1);
  EXPECT_EQ(run_all(), "cF0:0 F1:0") << "a new owner counts from 1 again";
}

TEST_F(stage_core_faults_test, weights_may_come_before_their_attempt) {
  weights_arrive(7, 0, 0);
  weights_arrive(1, 0, 1);
  core_->accept(abandon{run, 1, 0});
  sent_.take();
  begin(id(2, 1));
  input_arrives(id(2, 1), 0);
  EXPECT_EQ(run_all(), "cF0:0 F1:0");
}

TEST_F(stage_core_faults_test, a_failure_is_said_again) {
  wire_->set(1);
  begin(id(1));
  weights_arrive();
  input_arrives(id(1), 0);
  EXPECT_EQ(run_all(), "cF0:0 failed");
  EXPECT_EQ(board_->read().how, standing::state::failed);
  core_->accept(inquire{id(1)});
  begin(id(1));
  EXPECT_EQ(run_all(), "failed failed");
  core_->accept(abandon{run, 1, 0});
  core_->accept(inquire{id(1)});
  EXPECT_EQ(run_all(), "abandoned1");
}

TEST_F(stage_core_faults_test, what_a_hook_throws_fails_the_step) {
  core_ = make_core({}, [](auto, auto, const action& what) {
    if (what.micro_batch == 1)
      throw std::runtime_error("on purpose");
  });
  begin(id(1));
  weights_arrive();
  input_arrives(id(1), 0);
  input_arrives(id(1), 1);
  EXPECT_EQ(run_all(), "cF0:0 F1:0 cF0:1 F1:1 failed");
  EXPECT_EQ(sent_.failure.code, error_code::layer_failed);
  EXPECT_EQ(sent_.failure.text, "stage 0, action 0F1: on purpose");
}

TEST_F(stage_core_faults_test, a_tensor_without_a_credit_breaks_the_protocol) {
  begin(id(1), "0F0 0F1 0F2 0B0 0B1 0B2 0U0", 0, 3);
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
  EXPECT_EQ(sent_.take(), "");
  begin(id(3));
  EXPECT_EQ(run_all(), "failed");
  EXPECT_EQ(sent_.failure.id, id(3));
  EXPECT_EQ(sent_.failure.code, error_code::protocol_violated);
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

// What comes over edges is of other shapes than the plan's, or of none.
TEST_F(stage_core_faults_test, other_tensors_break_the_protocol) {
  const auto outcome_of = [&](const edge_data& header, tensor_list tensors) {
    core_ = make_core();
    weights_arrive();
    begin(id(1));
    core_->accept(header, {std::move(tensors), {}});
    auto result = run_all();
    EXPECT_EQ(sent_.failure.code, error_code::protocol_violated) << result;
    sent_.failure = {};
    return result;
  };
  const auto zeros = [](std::vector<std::int64_t> extents,
                        dtype type = dtype::f32) {
    return tensor::zeros({type, shape(std::span<const std::int64_t>(extents))});
  };
  const edge_data input{id(1), 0, 0, false};
  EXPECT_EQ(outcome_of(input, {}), "failed");
  EXPECT_EQ(outcome_of(input, {tensor()}), "failed");
  EXPECT_EQ(outcome_of(input, {zeros({2, 3}), zeros({2, 3})}), "failed");
  EXPECT_EQ(outcome_of(input, {zeros({2, 3}, dtype::i32)}), "failed");
  EXPECT_EQ(outcome_of(input, {zeros({2, 30})}), "failed");
  EXPECT_EQ(outcome_of(input, {zeros({})}), "failed");
  EXPECT_EQ(outcome_of(input, {zeros({1, 3})}), "cF0:0 failed");
  const edge_data late{id(1), 2, 0, false};
  EXPECT_EQ(outcome_of(late, {zeros({2, 3})}), "failed");
  const edge_data elsewhere{id(1), 0, 1, false};
  EXPECT_EQ(outcome_of(elsewhere, {zeros({2, 5})}), "failed");
  const edge_data backwards{id(1), 0, 0, true};
  EXPECT_EQ(outcome_of(backwards, {zeros({2, 3})}), "failed");
}

TEST_F(stage_core_faults_test, inputs_that_a_layer_does_not_take_are_refused) {
  weights_arrive();
  begin(id(1));
  core_->accept(edge_data{id(1), 0, 0, false},
                {{tensor::zeros({dtype::f32, {2, 2}})}, {}});
  EXPECT_EQ(run_all(), "cF0:0 failed");
  EXPECT_NE(sent_.failure.text.find("layer 0"), std::string::npos);
}

TEST_F(stage_core_faults_test, other_gradients_than_activations_are_refused) {
  weights_arrive();
  begin(id(1));
  for (std::uint32_t m = 0; m < 2; ++m)
    input_arrives(id(1), m);
  run_all();
  core_->accept(edge_data{id(1), 0, 1, true},
                {{tensor::zeros({dtype::f32, {2, 4}})}, {}});
  EXPECT_EQ(run_all(), "cB1:0 failed");
}

TEST_F(stage_core_faults_test, other_weights_break_the_protocol) {
  begin(id(1));
  core_->accept(weights{run, 0, 1, 0, 0, 0},
                {{tensor::zeros({dtype::f32, {2, 2}})}, {}});
  EXPECT_EQ(run_all(), "failed");
  EXPECT_EQ(sent_.failure.code, error_code::protocol_violated);
  for (const auto& [owner, user] :
       std::vector<std::pair<std::uint32_t, std::uint32_t>>{
         {0, 1}, {0, 9}, {9, 0}, {1, 0}}) {
    core_ = make_core();
    core_->accept(weights{run, 0, 1, 0, owner, user}, {});
    EXPECT_EQ(run_all(), "") << "no mini-batch is at hand";
    begin(id(1));
    EXPECT_EQ(run_all(), "failed") << owner << ", " << user;
    core_->accept(abandon{run, 1, 0});
    begin(id(2, 1));
    EXPECT_EQ(run_all(), "abandoned1");
  }
}

TEST_F(stage_core_faults_test, other_programs_break_the_protocol) {
  for (const auto* actions : {"1F0", "0F0 7F1", "0F2"}) {
    core_ = make_core();
    weights_arrive();
    begin(id(1), actions);
    EXPECT_EQ(run_all(), "failed") << actions;
    EXPECT_EQ(sent_.failure.code, error_code::protocol_violated);
  }
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
