// SPDX-License-Identifier: Apache-2.0
/// The scheduler begins, feeds, awaits everyone, and commits.
#include "tests/actors/scheduler_bench.hpp"

namespace actorpipe::test {
namespace {

using scheduler_core_test = scheduler_bench;

TEST_F(scheduler_core_test, a_step_begins_everywhere_and_is_fed) {
  EXPECT_FALSE(start());
  EXPECT_EQ(sent_.take(), "begin0 begin1 F0:0 F0:1 F2:0 F2:1");
  const auto& told = sent_.begun.at(1);
  EXPECT_EQ(told.id, (work_id{run, 0, 1}));
  EXPECT_EQ(told.step, 5);
  EXPECT_EQ(told.version, 0);
  EXPECT_EQ(told.normalizer, 4);
  EXPECT_EQ(told.micro_batches, cut_batch(4, 2));
  EXPECT_EQ(told.actions, plan_.programs[1]);
}

TEST_F(scheduler_core_test, the_plans_own_programs_are_run) {
  plan_.programs[0] = *parse_program("0F1 0F0 0B1 0B0 0U0");
  plan_.programs[1] = *parse_program("1F1 1B1 1F0 1B0 1U0");
  make_core();
  start();
  EXPECT_EQ(sent_.begun.at(0).actions, plan_.programs[0]);
  EXPECT_EQ(sent_.take(), "begin0 begin1 F0:1 F0:0 F2:1 F2:0");
}

TEST_F(scheduler_core_test, nothing_is_applied_before_everyone_is_done) {
  start();
  sent_.take();
  core_->accept(sums(1));
  core_->accept(done(1));
  core_->accept(sums(0));
  EXPECT_EQ(sent_.take(), "");
  core_->accept(done(0));
  EXPECT_EQ(sent_.take(), "apply1>0 apply1>1");
  EXPECT_EQ(sent_.update.learning_rate, 0.1);
  EXPECT_EQ(sent_.update.gradient_scale, 1);
}

TEST_F(scheduler_core_test, nothing_is_answered_before_everyone_has_applied) {
  start();
  everyone_is_done();
  sent_.take();
  core_->accept(applied{sent_.id, 1});
  core_->accept(applied{sent_.id, 1});
  core_->accept(applied{sent_.id, 9});
  EXPECT_EQ(sent_.take(), "");
  core_->accept(applied{sent_.id, 0});
  EXPECT_EQ(sent_.take(), "committed>0 committed>1 ok");
  EXPECT_EQ(sent_.last.report.updates, 1);
}

TEST_F(scheduler_core_test, the_report_holds_what_was_measured) {
  start(4, 2);
  everyone_is_done();
  everyone_has_applied();
  const auto& report = sent_.last.report;
  EXPECT_EQ(report.loss, (1.5 + 1.5) / 4);
  EXPECT_EQ(report.targets, 4);
  EXPECT_EQ(report.gradient_norm, 4);
  EXPECT_DOUBLE_EQ(report.clip_factor, sent_.update.gradient_scale);
  EXPECT_LT(report.clip_factor, 0.51);
  EXPECT_EQ(report.duration_ns, 10);
  ASSERT_EQ(report.timeline.size(), 2U);
  EXPECT_EQ(report.timeline[1].back().what,
            (action{1, action_kind::update, 0}));
}

TEST_F(scheduler_core_test, repeated_messages_change_nothing) {
  start();
  core_->accept(done(0));
  core_->accept(done(0));
  core_->accept(sums(0));
  core_->accept(sums(0, 1e9));
  sent_.take();
  EXPECT_EQ(sent_.take(), "");
  core_->accept(done(1));
  core_->accept(sums(1));
  core_->accept(sums(1));
  EXPECT_EQ(sent_.take(), "apply1>0 apply1>1");
  everyone_has_applied();
  everyone_has_applied();
  EXPECT_EQ(sent_.take(), "committed>0 committed>1 ok");
  EXPECT_EQ(sent_.last.report.gradient_norm, 4);
}

TEST_F(scheduler_core_test, messages_of_an_earlier_step_are_dropped) {
  start();
  const auto early = done(0);
  const auto early_sums = sums(0);
  everyone_is_done();
  const applied early_applied{sent_.id, 0};
  everyone_has_applied();
  start();
  sent_.take();
  core_->accept(early);
  core_->accept(early_sums);
  core_->accept(early_applied);
  core_->accept(failed{early.id, error_code::layer_failed, "late"});
  core_->accept(credit{early.id, 0, 0, false});
  EXPECT_EQ(sent_.take(), "");
  everyone_is_done();
  EXPECT_EQ(sent_.take(), "apply2>0 apply2>1");
}

TEST_F(scheduler_core_test, a_credit_lets_one_more_micro_batch_go) {
  plan_ = plan_for(*source_, perceptron_batch(6), {2, 3, 6});
  make_core();
  start(6);
  EXPECT_EQ(sent_.take(), "begin0 begin1 F0:0 F0:1 F2:0 F2:1");
  core_->accept(credit{sent_.id, 0, 2, false});
  EXPECT_EQ(sent_.take(), "F2:2");
  core_->accept(credit{sent_.id, 0, 0, false});
  core_->accept(credit{sent_.id, 0, 0, false});
  EXPECT_EQ(sent_.take(), "F0:2");
}

TEST_F(scheduler_core_test, one_request_is_worked_on_at_a_time) {
  start();
  EXPECT_EQ(start()->code, error_code::busy);
  EXPECT_EQ(evaluate(4)->code, error_code::busy);
  EXPECT_EQ(core_->start(get_values{})->code, error_code::busy);
  EXPECT_EQ(core_->start(set_values{}, values_of(1, 3))->code,
            error_code::busy);
  everyone_is_done();
  EXPECT_EQ(start()->code, error_code::busy);
  everyone_has_applied();
  EXPECT_FALSE(start());
}

TEST_F(scheduler_core_test, fewer_samples_give_fewer_micro_batches) {
  start(1);
  EXPECT_EQ(to_string(sent_.begun.at(0).actions), "0F0 0B0 0U0");
  EXPECT_EQ(sent_.begun.at(0).micro_batches, cut_batch(1, 1));
}

TEST_F(scheduler_core_test, an_evaluation_is_cut_to_the_planned_size) {
  evaluate(7);
  EXPECT_EQ(sent_.begun.at(0).mode, run_mode::evaluate);
  EXPECT_EQ(sent_.begun.at(0).micro_batches, cut_batch(7, 4));
  EXPECT_EQ(to_string(sent_.begun.at(1).actions), "1F0 1F1 1F2 1F3");
  core_->accept(done(0));
  core_->accept(done(1));
  EXPECT_EQ(sent_.last.report.loss, 4 * 1.5 / 7);
  EXPECT_EQ(sent_.last.report.updates, 0);
  evaluate(3, 3);
  EXPECT_EQ(sent_.begun.at(0).micro_batches, cut_batch(3, 3));
}

TEST_F(scheduler_core_test, a_busy_request_changes_nothing_of_the_one_at_hand) {
  start();
  core_->start(train_request{9, 7, 0.001}, perceptron_batch(4));
  everyone_is_done();
  EXPECT_EQ(sent_.update.learning_rate, 0.1);
  EXPECT_EQ(sent_.update.gradient_scale, 1);
}

TEST_F(scheduler_core_test, how_often_a_step_has_begun_is_told) {
  start();
  EXPECT_EQ(sent_.begun.at(0).tries, 1U);
  core_->accept(failed{sent_.id, error_code::layer_failed, "text"});
  everyone_has_abandoned(1);
  evaluate(4);
  core_->accept(done(0));
  core_->accept(done(1));
  EXPECT_EQ(sent_.begun.at(0).tries, 1U);
  start();
  EXPECT_EQ(sent_.begun.at(0).tries, 2U);
}

TEST_F(scheduler_core_test, values_are_collected) {
  const auto wanted = values_of(3, 7);
  EXPECT_FALSE(core_->start(get_values{}));
  EXPECT_EQ(sent_.take(), "get>0 get>1");
  core_->accept(collected(1, 7), shard_of(wanted, 1));
  core_->accept(collected(1, 7), shard_of(wanted, 1));
  EXPECT_EQ(start()->code, error_code::busy);
  EXPECT_EQ(sent_.take(), "");
  core_->accept(collected(0, 7), shard_of(wanted, 0));
  EXPECT_EQ(sent_.take(), "ok");
  EXPECT_TRUE(same_values(*source_, sent_.last_values.all, wanted));
  EXPECT_FALSE(start());
  EXPECT_EQ(sent_.id.batch, 2U) << "every request counts";
}

TEST_F(scheduler_core_test, values_are_installed) {
  const auto wanted = values_of(3, 41);
  EXPECT_FALSE(core_->start(set_values{}, wanted));
  EXPECT_EQ(sent_.take(), "install41>0 install41>1");
  EXPECT_EQ(sent_.installs[0].size(), 3U) << "two parameters, one state";
  core_->accept(installed{sent_.id, 1});
  core_->accept(installed{sent_.id, 1});
  core_->accept(installed{sent_.id, 9});
  core_->accept(installed{{run, 0, 7}, 0});
  EXPECT_EQ(sent_.take(), "");
  core_->accept(installed{sent_.id, 0});
  EXPECT_EQ(sent_.take(), "committed>0 committed>1 ok");
  start();
  EXPECT_EQ(sent_.begun.at(0).version, 41);
  everyone_is_done();
  EXPECT_EQ(sent_.update.version, 42);
}

TEST_F(scheduler_core_test, values_of_another_model_are_refused) {
  auto wrong = values_of(1, 1);
  wrong.parameters.pop_back();
  EXPECT_EQ(core_->start(set_values{}, wrong)->code, error_code::bad_batch);
  core_->start(get_values{});
  sent_.take();
  core_->accept(collected(0), {});
  EXPECT_EQ(sent_.take(), "abandon1>0");
  everyone_has_abandoned(1);
  EXPECT_EQ(sent_.last_values.failure.code, error_code::protocol_violated);
  core_->start(get_values{});
  core_->accept(collected(2), {});
  everyone_has_abandoned(2);
  EXPECT_EQ(sent_.last_values.failure.code, error_code::protocol_violated);
}

TEST_F(scheduler_core_test, an_install_that_fails_changes_nothing) {
  train();
  core_->start(set_values{}, values_of(3, 41));
  core_->accept(installed{sent_.id, 1});
  core_->accept(failed{sent_.id, error_code::layer_failed, "no memory"});
  EXPECT_EQ(sent_.take(), "install41>0 install41>1 abandon1>1");
  EXPECT_EQ(sent_.settled, 1U);
  everyone_has_abandoned(1);
  EXPECT_EQ(sent_.last_values.failure.text, "no memory");
  start();
  EXPECT_EQ(sent_.begun.at(0).version, 1);
}

} // namespace
} // namespace actorpipe::test
