// SPDX-License-Identifier: Apache-2.0
/// The scheduler commits nothing but what was executed as planned.
#include "tests/actors/scheduler_bench.hpp"

#include <limits>

namespace actorpipe::test {
namespace {

using scheduler_core_faults_test = scheduler_bench;

TEST_F(scheduler_core_faults_test, another_order_than_the_programs_is_refused) {
  start();
  sent_.take();
  auto wrong = done(0);
  std::swap(wrong.executed[0], wrong.executed[1]);
  core_->accept(wrong);
  EXPECT_EQ(sent_.take(), "abandon1>0");
  everyone_has_abandoned(1);
  EXPECT_EQ(sent_.take(), "not ok");
  EXPECT_EQ(sent_.last.failure.code, error_code::protocol_violated);
  EXPECT_NE(sent_.last.failure.text.find("stage 0"), std::string::npos);
}

TEST_F(scheduler_core_faults_test, an_action_that_is_missing_is_refused) {
  start();
  sent_.take();
  auto wrong = done(1);
  wrong.executed.pop_back();
  core_->accept(wrong);
  EXPECT_EQ(sent_.take(), "abandon1>0");
}

TEST_F(scheduler_core_faults_test, a_loss_that_is_missing_is_refused) {
  start();
  sent_.take();
  auto wrong = done(1);
  wrong.loss_sums.pop_back();
  core_->accept(wrong);
  EXPECT_EQ(sent_.take(), "abandon1>0");
}

TEST_F(scheduler_core_faults_test, norms_of_other_parameters_are_refused) {
  start();
  sent_.take();
  core_->accept(prepared{sent_.id, 0, {1, 2, 3}});
  EXPECT_EQ(sent_.take(), "abandon1>0");
  everyone_has_abandoned(1);
  start();
  sent_.take();
  core_->accept(prepared{sent_.id, 2, {}});
  EXPECT_EQ(sent_.take(), "abandon2>0");
}

TEST_F(scheduler_core_faults_test, a_gradient_that_is_not_finite_is_named) {
  start();
  core_->accept(done(0));
  core_->accept(done(1));
  core_->accept(sums(0));
  core_->accept(sums(1, std::numeric_limits<double>::quiet_NaN()));
  everyone_has_abandoned(1);
  EXPECT_EQ(sent_.last.failure.code, error_code::not_finite);
  EXPECT_EQ(sent_.last.failure.text,
            "step 5: the gradient of second.weight is not finite (stage 1)");
}

TEST_F(scheduler_core_faults_test, a_loss_that_is_not_finite_is_named) {
  start();
  auto wrong = done(1);
  wrong.loss_sums[1] = std::numeric_limits<double>::infinity();
  core_->accept(wrong);
  core_->accept(done(0));
  core_->accept(sums(0));
  core_->accept(sums(1));
  everyone_has_abandoned(1);
  EXPECT_EQ(sent_.last.failure.code, error_code::not_finite);
  EXPECT_NE(sent_.last.failure.text.find("micro-batch 1"), std::string::npos);
}

TEST_F(scheduler_core_faults_test, a_failure_abandons_the_step_once) {
  start();
  sent_.take();
  const failed why{sent_.id, error_code::layer_failed, "text"};
  core_->accept(why);
  core_->accept(why);
  core_->accept(done(0));
  EXPECT_EQ(sent_.take(), "abandon1>0");
  everyone_has_abandoned(0);
  core_->accept(abandoned{run, 1, "stage 0"});
  core_->accept(abandoned{run, 1, "stage 0"});
  core_->accept(abandoned{run, 1, "stage 1"});
  core_->accept(abandoned{run, 1, "parameter 0"});
  core_->accept(abandoned{run, 1, "somebody"});
  EXPECT_EQ(sent_.take(), "");
  core_->accept(abandoned{run, 1, "parameter 1"});
  EXPECT_EQ(sent_.take(), "not ok");
  EXPECT_EQ(sent_.last.failure.text, "text");
}

TEST_F(scheduler_core_faults_test, a_step_after_a_failed_one_has_a_newer_id) {
  start();
  const auto before = sent_.id;
  core_->accept(failed{sent_.id, error_code::layer_failed, "text"});
  everyone_has_abandoned(1);
  EXPECT_FALSE(start());
  EXPECT_GT(sent_.id, before);
  EXPECT_EQ(sent_.id.attempt, 1U);
  EXPECT_EQ(sent_.begun.at(0).version, 0);
}

TEST_F(scheduler_core_faults_test,
       a_failed_update_returns_to_the_version_before) {
  start();
  everyone_is_done();
  everyone_has_applied();
  start();
  everyone_is_done();
  sent_.take();
  core_->accept(applied{sent_.id, 0});
  core_->accept(failed{sent_.id, error_code::layer_failed, "no memory"});
  core_->accept(applied{sent_.id, 1});
  EXPECT_EQ(sent_.take(), "abandon1>1");
}

TEST_F(scheduler_core_faults_test, a_batch_that_does_not_fit_is_refused) {
  const auto code = [&](const batch& data) {
    const auto refusal = core_->start(train_request{}, data);
    return refusal ? to_string(refusal->code) : "none";
  };
  EXPECT_EQ(code({}), "bad_batch");
  EXPECT_EQ(code(perceptron_batch(5)), "bad_batch") << "3 samples are too many";
  EXPECT_EQ(code({perceptron_batch(3).inputs, perceptron_batch(4).targets}),
            "bad_batch");
  EXPECT_EQ(code({{}, perceptron_batch(4).targets}), "bad_batch");
  EXPECT_EQ(code({{tensor()}, perceptron_batch(4).targets}), "bad_batch");
  EXPECT_EQ(code({small_batch(4).inputs, perceptron_batch(4).targets}),
            "bad_batch");
  EXPECT_EQ(code(small_batch(4)), "bad_batch");
  EXPECT_EQ(sent_.take(), "");
  EXPECT_FALSE(start());
}

TEST_F(scheduler_core_faults_test,
       a_lost_actor_is_answered_at_once_and_for_ever) {
  start();
  sent_.take();
  core_->lose("stage 1", "out of memory");
  core_->lose("stage 0", "later");
  EXPECT_EQ(sent_.take(), "not ok");
  EXPECT_EQ(sent_.last.failure.code, error_code::actor_lost);
  EXPECT_EQ(sent_.last.failure.text, "stage 1 has gone: out of memory");
  EXPECT_EQ(start()->code, error_code::actor_lost);
  EXPECT_EQ(evaluate(1)->text, "stage 1 has gone: out of memory");
}

TEST_F(scheduler_core_faults_test, without_a_way_back_everything_is_lost) {
  start();
  core_->accept(failed{sent_.id, error_code::layer_failed, "text"});
  sent_.take();
  core_->accept(failed{{run, 0, 1}, error_code::layer_failed, "late"});
  EXPECT_EQ(sent_.take(), "");
  core_->accept(failed{{run, 1, 0}, error_code::protocol_violated, "gone"});
  EXPECT_EQ(sent_.take(), "not ok");
  EXPECT_EQ(sent_.last.failure.code, error_code::actor_lost);
  EXPECT_NE(sent_.last.failure.text.find("gone"), std::string::npos);
  EXPECT_EQ(start()->code, error_code::actor_lost);
}

} // namespace
} // namespace actorpipe::test
