// SPDX-License-Identifier: Apache-2.0
/// A stage runs its program in order, as far as tensors, credits and weights
/// are there.
#include "tests/actors/stage_bench.hpp"

namespace actorpipe::test {
namespace {

using stage_core_test = stage_bench;

TEST_F(stage_core_test, runs_its_program_in_order) {
  begin(id(1));
  weights_arrive();
  input_arrives(id(1), 1);
  EXPECT_EQ(run_all(), "");
  EXPECT_EQ(core_->cursor(), "0F0");
  input_arrives(id(1), 0);
  EXPECT_EQ(run_all(), "cF0:0 F1:0 cF0:1 F1:1");
  gradient_arrives(id(1), 1);
  EXPECT_EQ(run_all(), "");
  gradient_arrives(id(1), 0);
  EXPECT_EQ(run_all(), "cB1:0 cB1:1 accumulated0 finished");
  EXPECT_EQ(core_->cursor(), "");
}

TEST_F(stage_core_test, says_what_it_executed_and_when) {
  begin(id(1));
  weights_arrive();
  input_arrives(id(1), 0);
  input_arrives(id(1), 1);
  gradient_arrives(id(1), 0);
  gradient_arrives(id(1), 1);
  run_all();
  EXPECT_EQ(sent_.last.id, id(1));
  EXPECT_EQ(sent_.last.stage, 0U);
  EXPECT_EQ(sent_.samples, 4);
  program executed;
  std::int64_t before = 0;
  for (const auto& x : sent_.last.executed) {
    executed.push_back(x.what);
    EXPECT_LE(before, x.ready_ns);
    EXPECT_LT(x.ready_ns, x.start_ns);
    EXPECT_LT(x.start_ns, x.end_ns);
    before = x.end_ns;
  }
  EXPECT_EQ(to_string(executed), "0F0 0F1 0B0 0B1 0U0");
  EXPECT_TRUE(sent_.last.loss_sums.empty());
}

TEST_F(stage_core_test, waits_for_weights_of_the_steps_version) {
  begin(id(1), "0F0 0F1 0B0 0B1 0U0", 3);
  input_arrives(id(1), 0);
  weights_arrive(1, 2);
  EXPECT_EQ(run_all(), "");
  weights_arrive(2, 3);
  EXPECT_EQ(run_all(), "cF0:0 F1:0");
}

TEST_F(stage_core_test, waits_for_a_credit) {
  plan_->edges[1].credits = 1;
  begin(id(1));
  weights_arrive();
  input_arrives(id(1), 0);
  input_arrives(id(1), 1);
  EXPECT_EQ(run_all(), "cF0:0 F1:0");
  credit_arrives(id(1), 0);
  EXPECT_EQ(run_all(), "cF0:1 F1:1");
}

TEST_F(stage_core_test, a_repeated_credit_lets_nothing_more_go) {
  plan_->edges[1].credits = 1;
  begin(id(1), "0F0 0F1 0F2 0B0 0B1 0B2 0U0", 0, 3);
  weights_arrive();
  input_arrives(id(1), 0);
  input_arrives(id(1), 1);
  run_all();
  credit_arrives(id(1), 0);
  run_all();
  credit_arrives(id(1), 0);
  input_arrives(id(1), 2);
  EXPECT_EQ(run_all(), "");
}

TEST_F(stage_core_test, a_credit_returns_when_the_action_starts) {
  wire_->set(1);
  begin(id(1));
  weights_arrive();
  input_arrives(id(1), 0);
  EXPECT_EQ(run_all(), "cF0:0 failed");
}

TEST_F(stage_core_test, a_recompute_needs_no_gradient) {
  begin(id(1), "0F0 0F1 0R0 0B0 0B1 0U0");
  weights_arrive();
  input_arrives(id(1), 0);
  input_arrives(id(1), 1);
  run_all();
  EXPECT_EQ(core_->cursor(), "0B0");
}

TEST_F(stage_core_test, a_recompute_changes_no_gradient) {
  tensor_list sums[2];
  const char* programs[] = {"0F0 0F1 0B0 0B1 0U0",
                            "0F0 0F1 0R0 0B0 0R1 0B1 0U0"};
  for (std::uint64_t i = 0; i < 2; ++i) {
    begin(id(i + 1), programs[i]);
    weights_arrive();
    for (std::uint32_t m = 0; m < 2; ++m) {
      input_arrives(id(i + 1), m);
      gradient_arrives(id(i + 1), m);
    }
    run_all();
    sums[i] = sent_.sums;
  }
  ASSERT_EQ(sums[0].size(), 2U);
  expect_same_bits(sums[0], sums[1], "gradients");
}

TEST_F(stage_core_test, an_evaluation_keeps_nothing) {
  core_->accept(begin_step{id(1),
                           run_mode::evaluate,
                           0,
                           0,
                           4,
                           {{0, 2}, {2, 4}},
                           *parse_program("0F0 0F1")});
  weights_arrive();
  input_arrives(id(1), 0);
  input_arrives(id(1), 1);
  EXPECT_EQ(run_all(), "cF0:0 F1:0 cF0:1 F1:1 finished");
}

TEST_F(stage_core_test, nothing_is_held_after_a_step) {
  begin(id(1));
  weights_arrive();
  for (std::uint32_t m = 0; m < 2; ++m) {
    input_arrives(id(1), m);
    gradient_arrives(id(1), m);
  }
  run_all();
  sent_.sums.clear();
  data_ = {};
  EXPECT_EQ(activations_->now_bytes(), 0);
  EXPECT_EQ(gradients_->now_bytes(), 0);
  EXPECT_GT(activations_->peak_bytes(), 0);
  EXPECT_GT(gradients_->peak_bytes(), 0);
}

TEST_F(stage_core_test, what_comes_before_its_step_is_kept) {
  weights_arrive();
  input_arrives(id(2), 0);
  EXPECT_EQ(run_all(), "");
  begin(id(2));
  EXPECT_EQ(run_all(), "cF0:0 F1:0");
  EXPECT_EQ(sent_.id, id(2));
}

TEST_F(stage_core_test, what_is_older_than_its_step_is_dropped) {
  begin(id(2));
  weights_arrive();
  core_->accept(edge_data{id(1), 0, 0, false},
                {{tensor::zeros({dtype::f32, {2, 3}})}, {}});
  EXPECT_EQ(run_all(), "");
  begin(id(1));
  input_arrives(id(2), 0);
  EXPECT_EQ(run_all(), "cF0:0 F1:0");
  EXPECT_EQ(sent_.id, id(2));
}

TEST_F(stage_core_test, another_runs_messages_are_dropped) {
  const work_id foreign{run + 1, 0, 1};
  begin(foreign);
  input_arrives(foreign, 0);
  weights_arrive();
  core_->accept(abandon{run + 1, 9, 0});
  EXPECT_EQ(run_all(), "");
  begin(id(1));
  EXPECT_EQ(run_all(), "");
}

TEST_F(stage_core_test, a_repeated_begin_changes_nothing) {
  begin(id(1));
  weights_arrive();
  input_arrives(id(1), 0);
  EXPECT_EQ(run_all(), "cF0:0 F1:0");
  begin(id(1));
  EXPECT_EQ(core_->cursor(), "0F1");
  input_arrives(id(1), 0);
  EXPECT_EQ(run_all(), "");
}

TEST_F(stage_core_test, says_again_what_it_has_said) {
  const inquire again{id(1)};
  core_->accept(again);
  EXPECT_TRUE(sent_.begun_ids.empty());
  begin(id(1));
  core_->accept(again);
  begin(id(1));
  EXPECT_EQ(sent_.begun_ids, std::vector<work_id>(3, id(1)));
  weights_arrive();
  for (std::uint32_t m = 0; m < 2; ++m) {
    input_arrives(id(1), m);
    gradient_arrives(id(1), m);
  }
  run_all();
  const auto executed = sent_.last.executed;
  sent_.last = {};
  core_->accept(again);
  begin(id(1));
  EXPECT_EQ(sent_.take(), "finished finished");
  EXPECT_EQ(sent_.last.executed.size(), executed.size());
  EXPECT_EQ(sent_.last.id, id(1));
  core_->accept(inquire{id(2)});
  core_->accept(inquire{id(1, 1)});
  EXPECT_EQ(sent_.take(), "");
  EXPECT_EQ(sent_.begun_ids.size(), 3U);
}

TEST_F(stage_core_test, a_step_begins_while_another_is_under_way) {
  begin(id(1));
  weights_arrive();
  input_arrives(id(1), 0);
  run_all();
  begin(id(2));
  EXPECT_EQ(core_->cursor(), "0F0");
  input_arrives(id(2), 0);
  EXPECT_EQ(run_all(), "cF0:0 F1:0");
}

TEST_F(stage_core_test, hooks_stand_around_the_actions_of_a_training_step) {
  word_list words;
  core_ = make_core(
    [&](std::int64_t step, std::uint32_t tries, const action& what) {
      words.note("before", step, ".", tries, to_string(what));
      words.note(sent_.take());
    },
    [&](std::int64_t, std::uint32_t, const action& what) {
      words.note("after", to_string(what));
    });
  begin(id(1), "0F0");
  weights_arrive();
  input_arrives(id(1), 0);
  run_all();
  EXPECT_EQ(words.take(), "before5.30F0  after0F0");
  core_->accept(begin_step{
    id(2), run_mode::evaluate, 0, 0, 4, {{0, 2}}, *parse_program("0F0")});
  input_arrives(id(2), 0);
  run_all();
  EXPECT_EQ(words.take(), "");
}

TEST_F(stage_core_test, its_standing_can_be_read) {
  using state = standing::state;
  const action first{0, action_kind::forward, 0};
  core_ = make_core([&](auto, auto, const action& what) {
    const auto now = board_->read();
    EXPECT_EQ(now.how, state::computing);
    EXPECT_EQ(now.next, what);
    EXPECT_TRUE(now.lacks.empty());
  });
  EXPECT_EQ(board_->read().how, state::idle);
  begin(id(1), "0F0 0F1 0B0");
  auto now = board_->read();
  EXPECT_EQ(now.how, state::waiting);
  EXPECT_EQ(now.id, id(1));
  EXPECT_EQ(now.next, first);
  EXPECT_EQ(now.lacks,
            (std::vector<missing>{{missing::what::weights, 0, false, 0},
                                  {missing::what::tensor, 0, false, 0}}));
  now_ns_ += 1000;
  weights_arrive();
  now = board_->read();
  EXPECT_EQ(now.lacks,
            (std::vector<missing>{{missing::what::tensor, 0, false, 0}}));
  EXPECT_GE(now.for_ns, 1000) << "the same wait";
  input_arrives(id(1), 0);
  EXPECT_TRUE(board_->read().lacks.empty());
  input_arrives(id(1), 1);
  run_all();
  now = board_->read();
  EXPECT_EQ(now.cursor, 2U);
  EXPECT_LT(now.for_ns, 1000);
  EXPECT_EQ(now.lacks,
            (std::vector<missing>{{missing::what::tensor, 1, true, 0}}));
  gradient_arrives(id(1), 0);
  run_all();
  EXPECT_EQ(board_->read().how, state::done);
  core_->accept(abandon{run, 1, 0});
  EXPECT_EQ(board_->read().how, state::idle);
}

TEST_F(stage_core_test, a_wait_for_a_credit_shows) {
  plan_->edges[1].credits = 1;
  core_ = make_core();
  begin(id(1));
  weights_arrive();
  input_arrives(id(1), 0);
  input_arrives(id(1), 1);
  run_all();
  EXPECT_EQ(board_->read().lacks,
            (std::vector<missing>{{missing::what::credit, 1, false, 1}}));
}

class only_stage_test : public stage_bench {
protected:
  only_stage_test() : stage_bench(1) {}
};

TEST_F(only_stage_test, waits_for_inputs_and_targets) {
  begin(id(1), "0F0 0F1 0B0 0B1 0U0");
  weights_arrive();
  input_arrives(id(1), 0);
  EXPECT_EQ(run_all(), "");
  target_arrives(id(1), 0);
  EXPECT_EQ(run_all(), "cF0:0 cF1:0");
  target_arrives(id(1), 1);
  EXPECT_EQ(run_all(), "");
  input_arrives(id(1), 1);
  EXPECT_EQ(run_all(), "cF0:1 cF1:1 accumulated0 finished");
  ASSERT_EQ(sent_.last.loss_sums.size(), 2U);
  EXPECT_GT(sent_.last.loss_sums[0], 0);
}

TEST_F(only_stage_test, losses_are_told_by_micro_batch) {
  std::vector<double> losses[2];
  const char* programs[] = {"0F0 0F1 0B0 0B1 0U0", "0F1 0F0 0B1 0B0 0U0"};
  for (std::uint64_t i = 0; i < 2; ++i) {
    begin(id(i + 1), programs[i]);
    weights_arrive();
    for (std::uint32_t m = 0; m < 2; ++m) {
      input_arrives(id(i + 1), m);
      target_arrives(id(i + 1), m);
    }
    run_all();
    losses[i] = sent_.last.loss_sums;
  }
  EXPECT_EQ(losses[0], losses[1]);
  EXPECT_NE(losses[0][0], losses[0][1]);
}

} // namespace
} // namespace actorpipe::test
