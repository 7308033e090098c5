// SPDX-License-Identifier: Apache-2.0
/// The scheduler asks again for exactly what is missing.
#include "tests/actors/scheduler_bench.hpp"

namespace actorpipe::test {
namespace {

class scheduler_repeat_test : public scheduler_bench {
protected:
  std::string repeated() {
    sent_.take();
    core_->repeat();
    return sent_.take();
  }
};

TEST_F(scheduler_repeat_test, nothing_while_nothing_is_awaited) {
  EXPECT_FALSE(core_->awaits_answers());
  EXPECT_EQ(repeated(), "");
  train();
  EXPECT_FALSE(core_->awaits_answers());
  EXPECT_EQ(repeated(), "");
}

TEST_F(scheduler_repeat_test, stages_begin_and_are_asked) {
  start();
  EXPECT_TRUE(core_->awaits_answers());
  EXPECT_EQ(repeated(), "begin0 begin1");
  EXPECT_EQ(sent_.begun.at(1).actions, plan_.programs[1]);
  core_->accept(begun{sent_.id, 1});
  core_->accept(begun{{run, 0, 9}, 0});
  EXPECT_EQ(repeated(), "begin0 ask-stage1");
  core_->accept(done(1));
  EXPECT_EQ(repeated(), "begin0");
  core_->accept(done(0));
  core_->accept(sums(1));
  EXPECT_EQ(repeated(), "ask-parameter0");
}

TEST_F(scheduler_repeat_test, an_evaluation_asks_no_parameters) {
  evaluate(4);
  core_->accept(begun{sent_.id, 0});
  core_->accept(done(1));
  EXPECT_EQ(repeated(), "ask-stage0");
}

TEST_F(scheduler_repeat_test, updates_are_commanded_again) {
  start();
  everyone_is_done();
  EXPECT_EQ(repeated(), "apply1>0 apply1>1");
  EXPECT_EQ(sent_.update.learning_rate, 0.1);
  core_->accept(applied{sent_.id, 0});
  EXPECT_EQ(repeated(), "apply1>1");
}

TEST_F(scheduler_repeat_test, a_return_is_commanded_again) {
  train();
  start();
  core_->accept(failed{sent_.id, error_code::layer_failed, "text"});
  core_->accept(abandoned{run, 1, "stage 0"});
  EXPECT_EQ(repeated(), "abandon1>1");
  EXPECT_EQ(sent_.settled, 1U);
}

TEST_F(scheduler_repeat_test, values_are_asked_for_again) {
  core_->start(get_values{});
  core_->accept(collected(0), shard_of(values_of(1, 0), 0));
  EXPECT_EQ(repeated(), "get>1");
  core_->accept(collected(1), shard_of(values_of(1, 0), 1));
  core_->start(set_values{}, values_of(1, 0));
  core_->accept(installed{sent_.id, 1});
  EXPECT_EQ(repeated(), "ask-parameter0");
}

TEST_F(scheduler_repeat_test, replicas_are_asked_for) {
  core_->meet({false, true});
  start();
  everyone_is_done();
  EXPECT_EQ(repeated(), "ask-keeper1");
}

// -- replicas -----------------------------------------------------------------

using scheduler_replicas_test = scheduler_repeat_test;

TEST_F(scheduler_replicas_test, no_update_before_the_last_version_is_kept) {
  core_->meet({true, true});
  start();
  everyone_is_done();
  core_->accept(kept(0, 0, 0));
  core_->accept(kept(1, 1, 0));
  core_->accept(kept(1, 0, 0, 1));
  core_->accept(replicated{{run + 1, 0, 0}, 1, 0});
  core_->accept(kept(2, 0, 0));
  EXPECT_EQ(sent_.take(), "begin0 begin1 F0:0 F0:1 F2:0 F2:1");
  core_->accept(kept(1, 0, 0));
  EXPECT_EQ(sent_.take(), "apply1>0 apply1>1");
}

TEST_F(scheduler_replicas_test, a_replica_may_come_before_its_commit) {
  core_->meet({true, false});
  start();
  core_->accept(kept(0, 0, 0));
  everyone_is_done();
  core_->accept(kept(0, 1, 1));
  core_->accept(kept(0, 0, 0));
  everyone_has_applied();
  sent_.take();
  start();
  everyone_is_done();
  EXPECT_EQ(sent_.update.version, 2);
}

TEST_F(scheduler_replicas_test, an_evaluation_needs_none) {
  core_->meet({true, true});
  evaluate(4);
  core_->accept(done(0));
  core_->accept(done(1));
  EXPECT_TRUE(sent_.last.ok);
}

TEST_F(scheduler_replicas_test, another_attempt_needs_them_anew) {
  core_->meet({true, false});
  core_->accept(kept(0, 0, 0));
  start();
  core_->accept(failed{sent_.id, error_code::layer_failed, "text"});
  everyone_has_abandoned(1);
  start();
  everyone_is_done();
  core_->accept(kept(0, 0, 0));
  EXPECT_EQ(repeated(), "ask-keeper0");
  core_->accept(kept(0, 0, 0, 1));
  EXPECT_EQ(sent_.take(), "apply1>0 apply1>1");
}

TEST_F(scheduler_replicas_test, what_was_installed_needs_its_own) {
  core_->meet({true, false});
  core_->accept(kept(0, 0, 0));
  core_->start(set_values{}, values_of(1, 0));
  core_->accept(kept(0, 0, 0));
  core_->accept(installed{sent_.id, 0});
  core_->accept(installed{sent_.id, 1});
  core_->accept(kept(0, 0, 0));
  start();
  everyone_is_done();
  EXPECT_EQ(repeated(), "ask-keeper0");
  core_->accept(kept(0, 0, 1));
  EXPECT_EQ(sent_.take(), "apply1>0 apply1>1");
}

} // namespace
} // namespace actorpipe::test
