// SPDX-License-Identifier: Apache-2.0
/// A scheduler stops when it is told to, and goes on from the version it is
/// told.
#include "tests/actors/scheduler_bench.hpp"

namespace actorpipe::test {
namespace {

class scheduler_recovery_test : public scheduler_bench {
protected:
  halted stop(std::uint64_t count) {
    return core_->accept(halt{run, count, "node 2 is silent"});
  }

  // Asks to go on, and lets everyone return.
  void go_on(std::uint64_t attempt, std::int64_t version) {
    EXPECT_FALSE(core_->accept(resume{run, attempt, version}));
    everyone_has_abandoned(attempt);
  }
};

TEST_F(scheduler_recovery_test, a_halt_stops_and_names_the_new_attempt) {
  train();
  start();
  sent_.take();
  const auto answer = stop(3);
  EXPECT_EQ(answer.run, run);
  EXPECT_EQ(answer.count, 3U);
  EXPECT_EQ(answer.attempt, 1U);
  EXPECT_EQ(answer.version, 1);
  EXPECT_FALSE(core_->awaits_answers());
  everyone_is_done();
  core_->accept(failed{sent_.id, error_code::layer_failed, "late"});
  core_->accept(credit{sent_.id, 0, 0, false});
  core_->repeat();
  EXPECT_EQ(sent_.take(), "") << "whoever waits is not answered yet";
}

TEST_F(scheduler_recovery_test, a_repeated_halt_gets_the_same_answer) {
  EXPECT_EQ(stop(3).attempt, 1U);
  EXPECT_EQ(stop(3).attempt, 1U);
  EXPECT_EQ(stop(2).count, 3U);
  EXPECT_EQ(core_->accept(halt{run + 1, 9, ""}).count, 3U);
  EXPECT_EQ(stop(4).attempt, 2U);
  go_on(2, 0);
  EXPECT_EQ(stop(4).attempt, 2U) << "late: it goes on already";
  EXPECT_FALSE(start());
}

TEST_F(scheduler_recovery_test, a_request_at_hand_is_told_of_the_rollback) {
  train();
  train();
  start();
  stop(1);
  sent_.take();
  EXPECT_FALSE(core_->accept(resume{run, 1, 1}));
  EXPECT_EQ(sent_.take(), "abandon1>1");
  EXPECT_EQ(sent_.settled, 2U);
  EXPECT_EQ(start()->code, error_code::busy);
  core_->repeat();
  EXPECT_EQ(sent_.take(), "abandon1>1");
  everyone_has_abandoned(1);
  EXPECT_EQ(sent_.take(), "resumed1 not ok");
  EXPECT_EQ(sent_.last.failure.code, error_code::rolled_back);
  EXPECT_EQ(sent_.last.failure.version, 1);
  EXPECT_NE(sent_.last.failure.text.find("node 2 is silent"),
            std::string::npos);
  EXPECT_FALSE(start());
  EXPECT_EQ(sent_.id, (work_id{run, 1, 4}));
  EXPECT_EQ(sent_.begun.at(0).version, 1);
}

TEST_F(scheduler_recovery_test, so_it_is_when_the_version_has_not_changed) {
  train();
  start();
  stop(1);
  go_on(1, 1);
  EXPECT_EQ(sent_.last.failure.code, error_code::rolled_back);
  EXPECT_EQ(sent_.last.failure.version, 1);
  EXPECT_FALSE(start());
}

TEST_F(scheduler_recovery_test, nobody_is_told_of_what_changes_nothing) {
  train();
  stop(1);
  sent_.take();
  go_on(1, 1);
  EXPECT_EQ(sent_.take(), "abandon1>1 resumed1");
  EXPECT_FALSE(start());
}

TEST_F(scheduler_recovery_test, the_next_request_is_told_once) {
  train();
  stop(1);
  go_on(1, 0);
  EXPECT_EQ(start()->code, error_code::rolled_back);
  EXPECT_FALSE(start());
  EXPECT_EQ(sent_.begun.at(0).version, 0);
  everyone_is_done();
  everyone_has_applied();
  stop(2);
  go_on(2, 0);
  EXPECT_EQ(core_->start(get_values{})->version, 0);
  EXPECT_FALSE(core_->start(get_values{}));
}

TEST_F(scheduler_recovery_test, two_returns_are_told_together) {
  train();
  train();
  stop(1);
  go_on(1, 1);
  stop(2);
  go_on(2, 1);
  EXPECT_EQ(start()->version, 1);
}

TEST_F(scheduler_recovery_test, who_sets_values_need_not_know) {
  train();
  stop(1);
  go_on(1, 0);
  EXPECT_FALSE(core_->start(set_values{}, values_of(1, 9)));
  core_->accept(installed{sent_.id, 0});
  core_->accept(installed{sent_.id, 1});
  EXPECT_FALSE(start());
  EXPECT_EQ(sent_.begun.at(0).version, 9);
}

TEST_F(scheduler_recovery_test, requests_wait_while_it_is_halted) {
  stop(1);
  sent_.take();
  EXPECT_FALSE(core_->start(get_values{}));
  EXPECT_EQ(start()->code, error_code::busy);
  EXPECT_EQ(sent_.take(), "");
  go_on(1, 0);
  EXPECT_EQ(sent_.take(), "abandon1>0 resumed1 not ok");
  EXPECT_EQ(sent_.last_values.failure.code, error_code::rolled_back);
}

TEST_F(scheduler_recovery_test, a_repeated_resume_is_answered_again) {
  stop(1);
  EXPECT_FALSE(core_->accept(resume{run, 0, 0})->attempt) << "an early one";
  EXPECT_FALSE(core_->accept(resume{run, 1, 0}));
  EXPECT_FALSE(core_->accept(resume{run, 1, 0}));
  sent_.take();
  everyone_has_abandoned(1);
  EXPECT_EQ(sent_.take(), "resumed1");
  EXPECT_EQ(core_->accept(resume{run, 1, 0})->attempt, 1U);
  start();
  EXPECT_EQ(core_->accept(resume{run, 1, 0})->attempt, 1U);
  stop(2);
  EXPECT_EQ(core_->accept(resume{run, 1, 0})->attempt, 1U);
  EXPECT_FALSE(core_->accept(resume{run, 3, 0}));
  sent_.take();
  go_on(2, 0);
  EXPECT_EQ(sent_.take(), "abandon2>0 resumed2 not ok");
}

TEST_F(scheduler_recovery_test, a_halt_may_come_at_any_time) {
  start();
  core_->accept(failed{sent_.id, error_code::layer_failed, "text"});
  EXPECT_EQ(stop(1).attempt, 2U) << "while a step is abandoned";
  everyone_has_abandoned(1);
  core_->accept(resume{run, 2, 0});
  EXPECT_EQ(stop(2).attempt, 3U) << "while it returns";
  everyone_has_abandoned(2);
  sent_.take();
  go_on(3, 0);
  EXPECT_EQ(sent_.take(), "abandon3>0 resumed3 not ok");
  EXPECT_EQ(sent_.last.failure.code, error_code::rolled_back);
  start();
  everyone_is_done();
  core_->accept(applied{sent_.id, 0});
  EXPECT_EQ(stop(3).version, 0) << "while it applies";
  core_->accept(applied{sent_.id, 1});
  EXPECT_EQ(stop(3).version, 0);
}

TEST_F(scheduler_recovery_test, giving_up_answers_everyone) {
  start();
  core_->accept(give_up{run + 1, "another run"});
  stop(1);
  sent_.take();
  core_->accept(give_up{run, "no node is left"});
  EXPECT_EQ(sent_.take(), "not ok");
  EXPECT_EQ(sent_.last.failure.code, error_code::actor_lost);
  EXPECT_EQ(sent_.last.failure.text, "no node is left");
  EXPECT_EQ(core_->start(get_values{})->text, "no node is left");
  EXPECT_FALSE(core_->accept(resume{run, 1, 0}));
  EXPECT_EQ(sent_.take(), "");
}

TEST_F(scheduler_recovery_test, a_supervised_one_waits_to_be_resumed) {
  make_core(true);
  EXPECT_FALSE(start());
  EXPECT_EQ(sent_.take(), "");
  EXPECT_EQ(stop(1).attempt, 1U);
  go_on(1, 0);
  EXPECT_EQ(sent_.take(), "abandon1>0 resumed1 not ok");
  EXPECT_FALSE(start());
}

} // namespace
} // namespace actorpipe::test
