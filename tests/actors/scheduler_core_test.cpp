// SPDX-License-Identifier: Apache-2.0
/// The scheduler begins, feeds, awaits everyone, and commits only what was
/// executed as planned.
#include "actors/scheduler_core.hpp"
#include "tests/support/pipeline_models.hpp"
#include "tests/support/text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace actorpipe::test {
namespace {

/// Writes down each message as a word, such as "F0:1" for micro-batch 1 over
/// edge 0.
class recorder final : public scheduler_core::outbox {
public:
  void send(std::uint32_t stage, begin_step message) override {
    words_.note("begin", stage);
    id = message.id;
    begun[stage] = std::move(message);
  }
  void send(std::uint32_t, const edge_data& header, payload) override {
    words_.note("F", header.edge, ":", header.micro_batch);
  }
  void send_parameters(const apply_update& message) override {
    words_.note("apply", message.version);
    update = message;
  }
  void send_parameters(const committed&) override { words_.note("committed"); }
  void send_all(const abandon& message) override {
    words_.note("abandon", message.attempt, ">", message.version);
  }
  void answer(step_outcome outcome) override {
    words_.note(outcome.ok ? "ok" : "not ok");
    last = std::move(outcome);
  }

  std::string take() { return words_.take(); }

  work_id id;
  std::map<std::uint32_t, begin_step> begun;
  apply_update update;
  step_outcome last;

private:
  word_list words_;
};

// Two cells, two micro-batches of up to 2 samples. Edges: 0 the inputs, 1 from
// cell 0 to cell 1, 2 the targets. Parameters: first.weight, first.bias of
// cell 0, second.weight, second.bias of cell 1.
class scheduler_core_test : public ::testing::Test {
protected:
  static constexpr std::uint64_t run = 7;

  void make_core() {
    core_ = std::make_unique<scheduler_core>(
      scheduler_options{run, source_, std::make_shared<plan>(plan_), layout_,
                        [this] { return now_ns_ += 10; }},
      sent_);
  }

  std::optional<step_failure> start(std::int64_t samples = 4,
                                    double max_norm = 0) {
    return core_->start(train_request{5, 0.1, max_norm},
                        perceptron_batch(samples));
  }

  std::optional<step_failure> evaluate(std::int64_t samples,
                                       std::uint32_t micro_batches = 0) {
    return core_->start(evaluate_request{micro_batches},
                        perceptron_batch(samples));
  }

  finished done(std::uint32_t stage) const {
    finished result{sent_.id, stage, {}, {}};
    for (const auto& x : sent_.begun.at(stage).actions)
      result.executed.push_back({x, 0, 0, 1});
    if (stage == 1)
      result.loss_sums.assign(sent_.begun.at(1).micro_batches.size(), 1.5);
    return result;
  }

  prepared sums(std::uint32_t cell, double first = 4) const {
    return {sent_.id, cell, {first, 4}};
  }

  void everyone_is_done() {
    core_->accept(done(0));
    core_->accept(done(1));
    core_->accept(sums(0));
    core_->accept(sums(1));
  }

  void everyone_has_applied() {
    core_->accept(applied{sent_.id, 0});
    core_->accept(applied{sent_.id, 1});
  }

  void everyone_has_abandoned(std::uint64_t attempt) {
    for (const auto* who : {"stage 0", "stage 1", "parameter 0", "parameter 1"})
      core_->accept(abandoned{run, attempt, who});
  }

  std::shared_ptr<const model> source_ =
    build_model(perceptron_with_state(), pipeline_registry());
  plan plan_ = plan_for(*source_, perceptron_batch(4), {2, 2, 4});
  std::shared_ptr<parameter_layout> layout_ =
    std::make_shared<parameter_layout>(*source_, plan_.cut);
  std::int64_t now_ns_ = 0;
  recorder sent_;
  std::unique_ptr<scheduler_core> core_;

  void SetUp() override { make_core(); }
};

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
  EXPECT_EQ(sent_.take(), "apply1");
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
  EXPECT_EQ(sent_.take(), "committed ok");
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
  EXPECT_EQ(sent_.take(), "apply1");
  everyone_has_applied();
  everyone_has_applied();
  EXPECT_EQ(sent_.take(), "committed ok");
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
  core_->accept(failed{early.id, error_code::layer_failed, 0, "late"});
  core_->accept(credit{early.id, 0, 0, false});
  EXPECT_EQ(sent_.take(), "");
  everyone_is_done();
  EXPECT_EQ(sent_.take(), "apply2");
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

TEST_F(scheduler_core_test, another_order_than_the_programs_is_refused) {
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

TEST_F(scheduler_core_test, an_action_that_is_missing_is_refused) {
  start();
  sent_.take();
  auto wrong = done(1);
  wrong.executed.pop_back();
  core_->accept(wrong);
  EXPECT_EQ(sent_.take(), "abandon1>0");
}

TEST_F(scheduler_core_test, a_loss_that_is_missing_is_refused) {
  start();
  sent_.take();
  auto wrong = done(1);
  wrong.loss_sums.pop_back();
  core_->accept(wrong);
  EXPECT_EQ(sent_.take(), "abandon1>0");
}

TEST_F(scheduler_core_test, norms_of_other_parameters_are_refused) {
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

TEST_F(scheduler_core_test, a_gradient_that_is_not_finite_is_named) {
  start();
  core_->accept(done(0));
  core_->accept(done(1));
  core_->accept(sums(0));
  core_->accept(sums(1, std::numeric_limits<double>::quiet_NaN()));
  everyone_has_abandoned(1);
  EXPECT_EQ(sent_.last.failure.code, error_code::not_finite);
  EXPECT_EQ(sent_.last.failure.text,
            "step 5: the gradient of second.weight is not finite");
}

TEST_F(scheduler_core_test, a_loss_that_is_not_finite_is_named) {
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

TEST_F(scheduler_core_test, a_failure_abandons_the_step_once) {
  start();
  sent_.take();
  const failed why{sent_.id, error_code::layer_failed, 1, "text"};
  core_->accept(why);
  core_->accept(why);
  core_->accept(done(0));
  EXPECT_EQ(sent_.take(), "abandon1>0");
  core_->accept(abandoned{run, 0, "stage 0"});
  core_->accept(abandoned{run, 1, "stage 0"});
  core_->accept(abandoned{run, 1, "stage 0"});
  core_->accept(abandoned{run, 1, "stage 1"});
  core_->accept(abandoned{run, 1, "parameter 0"});
  EXPECT_EQ(sent_.take(), "");
  core_->accept(abandoned{run, 1, "parameter 1"});
  EXPECT_EQ(sent_.take(), "not ok");
  EXPECT_EQ(sent_.last.failure.text, "text");
}

TEST_F(scheduler_core_test, a_step_after_a_failed_one_has_a_newer_id) {
  start();
  const auto before = sent_.id;
  core_->accept(failed{sent_.id, error_code::layer_failed, 1, "text"});
  everyone_has_abandoned(1);
  EXPECT_FALSE(start());
  EXPECT_GT(sent_.id, before);
  EXPECT_EQ(sent_.id.attempt, 1U);
  EXPECT_EQ(sent_.begun.at(0).version, 0);
}

TEST_F(scheduler_core_test, a_failed_update_returns_to_the_version_before) {
  start();
  everyone_is_done();
  everyone_has_applied();
  start();
  everyone_is_done();
  sent_.take();
  core_->accept(applied{sent_.id, 0});
  core_->accept(failed{sent_.id, error_code::layer_failed, 1, "no memory"});
  core_->accept(applied{sent_.id, 1});
  EXPECT_EQ(sent_.take(), "abandon1>1");
}

TEST_F(scheduler_core_test, one_request_is_worked_on_at_a_time) {
  start();
  EXPECT_EQ(start()->code, error_code::busy);
  EXPECT_EQ(evaluate(4)->code, error_code::busy);
  EXPECT_FALSE(core_->set_version(3));
  everyone_is_done();
  EXPECT_EQ(start()->code, error_code::busy);
  everyone_has_applied();
  EXPECT_FALSE(start());
}

TEST_F(scheduler_core_test, a_batch_that_does_not_fit_is_refused) {
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

TEST_F(scheduler_core_test, a_lost_actor_is_answered_at_once_and_for_ever) {
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

TEST_F(scheduler_core_test, the_version_can_be_set_between_steps) {
  EXPECT_TRUE(core_->set_version(41));
  start();
  EXPECT_EQ(sent_.begun.at(0).version, 41);
  everyone_is_done();
  EXPECT_EQ(sent_.update.version, 42);
}

} // namespace
} // namespace actorpipe::test
