// SPDX-License-Identifier: Apache-2.0
/// Runs of the program that must end with the same bits, and some that must
/// not.
#include "tests/apps/program_test.hpp"

#include <set>

namespace actorpipe::test {

namespace {

// With dropout, and a schedule that a run cut short does not change.
words tiny_run(const words& arguments) {
  return words{"train",
               tiny_config,
               "--quiet",
               "--steps",
               "20",
               "--micro-batches",
               "8",
               "--set",
               "model.dropout=0.1",
               "--set",
               "optimizer.schedule_steps=20"}
       + arguments;
}

// One run is the measure of all others: four stages, twenty steps.
class same_bits : public program_test {
protected:
  void SetUp() override {
    sum_ = train_tiny("measure",
                      {"--stages", "4", "--set", "run.checkpoint_every=10"});
  }

  std::string train_tiny(const std::string& out, const words& arguments) const {
    return sum_of(print(tiny_run(words{"--out", out} + arguments)));
  }

  // Of the steps from `first` on.
  std::vector<double> numbers(const std::string& out, const char* key,
                              int first = 1) const {
    std::vector<double> result;
    for (const auto& line : metrics(out))
      if (line.contains(key) && line["step"] >= first)
        result.push_back(line[key]);
    return result;
  }

  std::string sum_;
};

TEST_F(same_bits, come_from_every_arrangement) {
  const std::vector<words> arrangements{
    {"--stages", "1"},
    {"--stages", "2"},
    {"--stages", "3"},
    {"--stages", "8"},
    {"--sequential"},
    {"--sequential", "--threads-per-stage", "3"},
    {"--stages", "3", "--recompute", "always"},
    {"--stages", "4", "--recompute", "never"},
    {"--stages", "4", "--schedule", "1f1b"},
    {"--stages", "8", "--schedule", "1f1b", "--recompute", "always"},
    {"--stages", "2", "--threads-per-stage", "2"},
    {"--stages", "3", "--threads-per-stage", "3", "--schedule", "1f1b"},
    {"--stages", "3", "--set", "pipeline.balance=[1, 13, 1]"},
    {"--stages", "2", "--set", "pipeline.credits=1"},
  };
  for (std::size_t i = 0; i < arrangements.size(); ++i) {
    SCOPED_TRACE(testing::PrintToString(arrangements[i]));
    const auto out = "other" + std::to_string(i);
    EXPECT_EQ(train_tiny(out, arrangements[i]), sum_);
    for (const auto* key : {"loss", "gradient_norm", "held_out_loss"})
      EXPECT_EQ(numbers(out, key), numbers("measure", key)) << key;
  }
}

TEST_F(same_bits, come_from_another_cut_that_goes_on_from_a_checkpoint) {
  EXPECT_EQ(train_tiny("other", {"--stages", "3", "--resume",
                                 checkpoint("measure", 10).string()}),
            sum_);
  EXPECT_EQ(numbers("other", "loss"), numbers("measure", "loss", 11));
}

TEST_F(same_bits, come_from_a_run_that_was_cut_short) {
  train_tiny("short", {"--stages", "4", "--steps", "10"});
  const auto out =
    print(tiny_run({"--stages", "3", "--resume", "short", "--out", "short"}));
  EXPECT_EQ(sum_of(out), sum_);
  EXPECT_EQ(after(out, "run directory "), (folder_ / "short").string());
  EXPECT_EQ(numbers("short", "loss"), numbers("measure", "loss"));
}

TEST_F(same_bits, do_not_come_from_another_run) {
  std::set<std::string> sums{sum_};
  sums.insert(train_tiny("a", {"--steps", "0"}));
  sums.insert(train_tiny("b", {"--seed", "2"}));
  sums.insert(train_tiny("c", {"--micro-batches", "4"}));
  EXPECT_EQ(sums.size(), 4U);
}

} // namespace

} // namespace actorpipe::test
