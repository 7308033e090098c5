// SPDX-License-Identifier: Apache-2.0
/// Faults, and how a run comes back from them to the same bits.
#include "actors/run/recovering_engine.hpp"

#include "tests/support/line_options.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace actorpipe::test {

namespace {

constexpr std::int64_t steps = 6;

// What the faulty engine does with its calls, counted from 1.
struct course {
  struct fault {
    error_code code = error_code::layer_failed;
    std::int64_t version = 0; ///< for `rolled_back`: at most what is there
  };
  std::map<int, fault> faults = {};
  int calls = 0;
  std::vector<std::int64_t> trained = {}; ///< steps, those given again included
};

// The plain loop, which keeps every version and goes back when told to.
class faulty_engine final : public training_engine {
public:
  faulty_engine(const pipeline_options& how, course& what)
    : loop_(make_sequential_engine(how)), what_(what) {
    kept_[0] = loop_->values();
  }

  step_report train(const batch& data, const train_request& how) override {
    meet_fault();
    EXPECT_EQ(how.step, loop_->values().updates + 1);
    auto report = loop_->train(data, how);
    what_.trained.push_back(how.step);
    kept_[how.step] = loop_->values();
    return report;
  }
  step_report evaluate(const batch& data) override {
    meet_fault();
    return loop_->evaluate(data);
  }
  model_values values() override {
    meet_fault();
    return loop_->values();
  }
  void set_values(const model_values& next) override {
    meet_fault();
    loop_->set_values(next);
    kept_[next.updates] = next;
  }
  std::vector<stage_memory> peak_memory() const override { return {}; }

private:
  void meet_fault() {
    const auto found = what_.faults.find(++what_.calls);
    if (found == what_.faults.end())
      return;
    const auto [code, version] = found->second;
    const auto back = std::min(version, loop_->values().updates);
    if (code == error_code::rolled_back)
      loop_->set_values(kept_.at(back));
    throw pipeline_error({code, "fault " + std::to_string(what_.calls), back});
  }

  std::unique_ptr<training_engine> loop_;
  course& what_;
  std::map<std::int64_t, model_values> kept_;
};

class recovering_engine_test : public testing::Test {
protected:
  recovering_engine_test() {
    batch like{{random_tensor({dtype::f32, {1, 3}}, 1)},
               random_tokens({1}, 4, 1)};
    line_.source = build_model(mixed_model(), pipeline_registry());
    line_.how = {.cells = 1, .micro_batches = 2};
    line_.like = like;
  }

  static training_step step_at(std::int64_t step) {
    const auto seed = static_cast<std::uint64_t>(step);
    return {{{random_tensor({dtype::f32, {8, 3}}, seed)},
             random_tokens({8}, 4, seed)},
            {step, 0.1 / static_cast<double>(step), 1}};
  }

  std::unique_ptr<recovering_engine> make(course& what,
                                          std::int64_t budget = 16) {
    recovery_options how;
    how.restart_budget = budget;
    how.step_at = step_at;
    how.saved = [this](std::int64_t after,
                       std::int64_t up_to) -> std::optional<model_values> {
      if (saved_ && saved_->updates > after && saved_->updates <= up_to)
        return saved_;
      return std::nullopt;
    };
    how.on_fault = [this](const std::string& x) { faults_.push_back(x); };
    how.on_recovery = [this](const std::string& x) { back_.push_back(x); };
    return std::make_unique<recovering_engine>(
      std::make_unique<faulty_engine>(options_of(line_), what), how);
  }

  // All steps, with the loss of each; an evaluation and a save on the way.
  static std::vector<double> run(training_engine& engine,
                                 std::int64_t first = 1) {
    std::vector<double> losses;
    for (auto step = first; step <= steps; ++step) {
      const auto [data, how] = step_at(step);
      losses.push_back(engine.train(data, how).loss);
      if (step == 3)
        losses.push_back(engine.evaluate(data).loss);
      if (step == 4) {
        EXPECT_EQ(engine.values().updates, 4);
      }
    }
    return losses;
  }

  // Runs with the faults of `what`, and expects what a run without them gives.
  void comes_to_the_same(course what) {
    course quiet;
    auto undisturbed = make(quiet);
    auto disturbed = make(what);
    EXPECT_EQ(run(*disturbed), run(*undisturbed));
    EXPECT_TRUE(
      same_values(*line_.source, disturbed->values(), undisturbed->values()));
  }

  std::string error_of(course what, std::int64_t budget) {
    try {
      auto engine = make(what, budget);
      run(*engine);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "no error";
  }

  line_case line_;
  std::optional<model_values> saved_;
  std::vector<std::string> faults_;
  std::vector<std::string> back_;
};

TEST_F(recovering_engine_test, comes_to_the_same_after_a_fault_at_any_call) {
  for (int call = 1; call <= 10; ++call)
    for (std::int64_t version = 0; version <= steps; ++version) {
      SCOPED_TRACE(testing::Message() << call << " to " << version);
      comes_to_the_same({{{call, {error_code::rolled_back, version}}}});
    }
}

TEST_F(recovering_engine_test,
       comes_to_the_same_after_faults_while_it_recovers) {
  for (int second = 6; second <= 12; ++second) {
    SCOPED_TRACE(second);
    comes_to_the_same({{{5, {error_code::rolled_back, 0}},
                        {second, {error_code::rolled_back, 1}},
                        {second + 1, {error_code::layer_failed}}}});
  }
}

TEST_F(recovering_engine_test, gives_again_what_was_lost_and_no_more) {
  course what{{{5, {error_code::rolled_back, 1}}}};
  auto engine = make(what);
  run(*engine);
  EXPECT_EQ(what.trained, (std::vector<std::int64_t>{1, 2, 3, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(faults_.empty());
  EXPECT_EQ(back_, std::vector<std::string>{"goes on after step 3; steps were "
                                            "replayed from version 1"});
}

TEST_F(recovering_engine_test, goes_on_from_what_was_saved_later) {
  course quiet;
  auto measure = make(quiet);
  for (std::int64_t step = 1; step <= 2; ++step)
    measure->train(step_at(step).data, step_at(step).how);
  saved_ = measure->values();
  course what{{{4, {error_code::rolled_back, 0}}}};
  auto engine = make(what);
  run(*engine);
  EXPECT_EQ(what.trained, (std::vector<std::int64_t>{1, 2, 3, 3, 4, 5, 6}));
  comes_to_the_same({{{4, {error_code::rolled_back, 0}}}});
}

TEST_F(recovering_engine_test, tries_a_failed_step_again) {
  comes_to_the_same({{{2, {error_code::layer_failed}},
                      {3, {error_code::stalled}},
                      {7, {error_code::layer_failed}}}});
  ASSERT_EQ(faults_.size(), 3U);
  EXPECT_EQ(faults_[1],
            "fault 3; it is tried again (2 of 16 within 100 steps)");
}

TEST_F(recovering_engine_test, ends_when_the_budget_is_spent) {
  const course what{{{1, {error_code::layer_failed}},
                     {2, {error_code::layer_failed}},
                     {4, {error_code::stalled}}}};
  EXPECT_EQ(error_of(what, 3), "no error");
  EXPECT_EQ(error_of(what, 2),
            "3 failures within 100 steps, and cluster.restart_budget allows 2; "
            "the last were:\n  after step 0: fault 1\n  after step 0: fault 2\n"
            "  after step 1: fault 4");
  EXPECT_EQ(error_of(what, 0), "fault 1");
}

TEST_F(recovering_engine_test, does_not_try_again_what_cannot_help) {
  for (const auto code :
       {error_code::not_finite, error_code::bad_batch, error_code::actor_lost,
        error_code::protocol_violated})
    EXPECT_EQ(error_of({{{3, {code}}}}, 16), "fault 3");
  EXPECT_TRUE(faults_.empty());
}

TEST_F(recovering_engine_test, does_not_invent_steps_of_an_earlier_run) {
  course quiet;
  auto earlier = make(quiet);
  run(*earlier);
  course what{{{2, {error_code::rolled_back, 0}}}};
  auto engine = make(what);
  engine->set_values(earlier->values());
  const auto [data, how] = step_at(steps + 1);
  EXPECT_THROW(engine->train(data, how), recovery_error);
  saved_ = earlier->values();
  course again{{{2, {error_code::rolled_back, 0}}}};
  engine = make(again);
  engine->set_values(earlier->values());
  EXPECT_EQ(engine->train(data, how).updates, steps + 1);
}

TEST_F(recovering_engine_test, sets_values_whatever_happens_meanwhile) {
  course quiet;
  auto earlier = make(quiet);
  run(*earlier);
  course what{{{1, {error_code::rolled_back, 0}}, {2, {error_code::stalled}}}};
  auto engine = make(what);
  engine->set_values(earlier->values());
  EXPECT_TRUE(same_values(*line_.source, engine->values(), earlier->values()));
  EXPECT_TRUE(what.trained.empty());
}

} // namespace

} // namespace actorpipe::test
