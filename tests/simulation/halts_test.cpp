// SPDX-License-Identifier: Apache-2.0
/// Halted at any message and resumed at this version or the one before, a
/// training ends with the same bits.
#include "messages/type_ids.hpp"
#include "tests/simulation/simulation.hpp"

#include <map>
#include <random>

namespace actorpipe::test {
namespace {

class halts_test : public ::testing::TestWithParam<arrangement> {
protected:
  static constexpr std::int64_t steps = 4;

  simulation_options simulation(std::uint64_t seed) const {
    auto result = simulation_of(source_, how_, seed);
    result.keepers = 2;
    result.haste = 20;
    result.most_waits = 1000;
    return result;
  }

  // Halts, and resumes at the version, or one before if everyone has it.
  static void recover(simulated_pipeline& line, std::uint64_t count,
                      bool back) {
    const auto stopped = line.halt(count);
    ASSERT_TRUE(stopped);
    ASSERT_EQ(stopped->count, count);
    const auto had = line.common_versions(stopped->attempt);
    auto version = had.upper_bound(stopped->version);
    ASSERT_NE(version, had.begin());
    --version;
    if (back && version != had.begin())
      --version;
    line.introduce(stopped->attempt);
    const auto goes_on = line.resume(stopped->attempt, *version);
    ASSERT_TRUE(goes_on);
    EXPECT_EQ(goes_on->attempt, stopped->attempt);
  }

  // A supervisor that halts again before everyone has returned.
  static void lose_patience(simulated_pipeline& line, std::uint64_t count,
                            std::uint64_t messages) {
    const auto stopped = line.halt(count);
    ASSERT_TRUE(stopped);
    const auto had = line.common_versions(stopped->attempt);
    line.introduce(stopped->attempt);
    line.begin_resume(stopped->attempt, *had.begin());
    line.run(messages);
  }

  // Gives it what it lacks until every step is made.
  void finish(simulated_pipeline& line, std::int64_t step) const {
    int failures = 0;
    while (step < steps) {
      const auto outcome =
        line.train(data_of(step, how_.samples), request_of(step));
      ASSERT_TRUE(outcome) << "step " << step << " stalls";
      if (outcome->ok) {
        EXPECT_EQ(outcome->report.updates, ++step);
        continue;
      }
      ASSERT_EQ(outcome->failure.code, error_code::rolled_back)
        << outcome->failure.text;
      ASSERT_LE(++failures, 1) << "told once";
      step = outcome->failure.version;
    }
  }

  const arrangement& how_ = GetParam();
  std::shared_ptr<const model> source_ = mixed();
};

TEST_P(halts_test, at_any_message) {
  const auto expected = plain_values(source_, how_, steps);
  for (const bool back : {false, true}) {
    std::map<std::int64_t, int> returns;
    for (std::uint64_t n = 0;; ++n) {
      simulated_pipeline line(simulation(n));
      train_steps(line, how_, 2);
      const auto outcome =
        line.begin_training(data_of(2, how_.samples), request_of(2));
      for (std::uint64_t i = 0; i < n && !*outcome; ++i)
        line.run(1);
      const bool is_over = outcome->has_value();
      recover(line, 1, back);
      ASSERT_TRUE(line.await(outcome)) << n;
      std::int64_t next = 3;
      if (!(*outcome)->ok) {
        ASSERT_EQ((*outcome)->failure.code, error_code::rolled_back) << n;
        next = (*outcome)->failure.version;
        // The version before goes when the next is made.
        EXPECT_TRUE(next == 2 || (back && next == 1)) << n;
        ++returns[next];
      }
      finish(line, next);
      ASSERT_TRUE(same_values(*source_, line.values(), expected))
        << "message " << n << (back ? ", one back" : "");
      if (is_over)
        break;
    }
    EXPECT_GT(returns[back ? 1 : 2], 5);
  }
}

TEST_P(halts_test, again_and_again_while_messages_get_lost) {
  const auto expected = plain_values(source_, how_, steps);
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    std::mt19937_64 draw(seed);
    auto options = simulation(seed);
    options.between = [&draw](const std::string&,
                              const caf::message& what) -> fate {
      const auto how = draw() % 10;
      const bool is_data = what.size() > 1 || what.match_elements<credit>();
      if (how == 0 && !is_data)
        return {};
      if (how == 1)
        return {{what}, {what}};
      if (how == 2)
        return {{}, {what}};
      return {{what}, {}};
    };
    simulated_pipeline line(std::move(options));
    std::int64_t step = 0;
    std::uint64_t halts = 0;
    while (step < steps) {
      const auto outcome =
        line.begin_training(data_of(step, how_.samples), request_of(step));
      for (auto n = draw() % 300; n > 0 && !*outcome; --n)
        line.run(1);
      if (halts < 6 && draw() % 3 == 0)
        lose_patience(line, ++halts, draw() % 30);
      if (halts < 6)
        recover(line, ++halts, draw() % 2 == 0);
      ASSERT_TRUE(line.await(outcome)) << seed;
      if ((*outcome)->ok)
        step = (*outcome)->report.updates;
      else if ((*outcome)->failure.code == error_code::rolled_back)
        step = (*outcome)->failure.version;
      else
        FAIL() << (*outcome)->failure.text;
    }
    auto all = line.evaluate(data_of(9, how_.samples));
    ASSERT_TRUE(all);
    if (all->ok || all->failure.version == steps) {
      ASSERT_TRUE(same_values(*source_, line.values(), expected)) << seed;
    }
  }
}

// Values that were installed are a version like any other, of any number.
TEST_P(halts_test, while_values_are_installed) {
  const auto other = plain_values(source_, how_, 1);
  auto renamed = other;
  renamed.updates = 2;
  for (std::uint64_t n = 0; n < 60; ++n) {
    simulated_pipeline line(simulation(n));
    train_steps(line, how_, 2);
    const auto before = line.values();
    const auto outcome = line.begin_install(renamed);
    line.run(n);
    recover(line, 1, false);
    ASSERT_TRUE(line.await(outcome)) << n;
    const auto& expected = (*outcome)->ok ? renamed : before;
    if (!(*outcome)->ok) {
      EXPECT_EQ((*outcome)->failure.code, error_code::rolled_back);
    }
    ASSERT_TRUE(same_values(*source_, line.values(), expected)) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(
  arrangements, halts_test,
  ::testing::Values(arrangement{1, 2, 4},
                    arrangement{2, 3, 7, schedule_kind::fill_drain,
                                recompute_mode::always},
                    arrangement{3, 4, 7, schedule_kind::one_f_one_b,
                                recompute_mode::except_one}));

} // namespace
} // namespace actorpipe::test
