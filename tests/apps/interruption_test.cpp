// SPDX-License-Identifier: Apache-2.0
/// Runs that are interrupted, killed, or fail on the way: what was saved stays,
/// and a run that goes on ends with the bits of one that was never disturbed.
#include "tests/apps/program_test.hpp"

#include "actors/run/checkpoint_folder.hpp"

#include <csignal>
#include <random>

namespace actorpipe::test {

namespace {

class interruption : public program_test {
protected:
  static words train_run(const words& arguments) {
    return words{"train", "run.toml"} + arguments;
  }

  /// The steps of the checkpoints, each of which must be whole.
  std::vector<std::int64_t> saved_steps() const {
    std::vector<std::int64_t> result;
    for (const auto& each : list_checkpoints(folder_ / "run/checkpoints")) {
      EXPECT_EQ(load_checkpoint(each.path).step, each.step);
      result.push_back(each.step);
    }
    return result;
  }

  /// Goes on in `run` up to `steps`, and expects what an undisturbed run gives.
  void goes_on_to(std::int64_t steps) const {
    const auto text = std::to_string(steps);
    const auto out =
      print(train_run({"--quiet", "--resume", "run", "--steps", text}));
    EXPECT_EQ(after(out, "run directory "), (folder_ / "run").string());
    EXPECT_EQ(sum_of(out), train("undisturbed", {"--steps", text}));
    std::vector<double> losses[2];
    for (const auto* name : {"run", "undisturbed"})
      for (const auto& line : metrics(name))
        if (line.contains("loss"))
          losses[name == std::string("run")].push_back(line["loss"]);
    EXPECT_EQ(losses[0], losses[1]);
  }
};

// More steps than a pipe can hold lines of: the run cannot end unread.
const words long_run{"--steps", "500"};

TEST_F(interruption, ends_the_run_after_the_step_and_saves) {
  for (const int signal : {SIGINT, SIGTERM}) {
    auto program = start(train_run(long_run));
    ASSERT_TRUE(program.read_until("step 6/500"));
    program.send(signal);
    const auto end = program.finish();
    EXPECT_EQ(end.code, 130);
    EXPECT_EQ(complaints(end), "");
    const auto last = std::stoll(after(end.out, "stopped after step ", ";"));
    EXPECT_EQ(saved_steps().back(), last);
    EXPECT_NE(end.out.find("go on with --resume run\n"), std::string::npos);
    EXPECT_EQ(sum_of(end.out),
              train("short", {"--steps", std::to_string(last)}));
    goes_on_to(last + 2);
    for (const auto* name : {"run", "short", "undisturbed"})
      std::filesystem::remove_all(folder_ / name);
  }
}

TEST_F(interruption, ends_the_program_at_once_when_it_comes_twice) {
  auto program = start(train_run(long_run));
  ASSERT_TRUE(program.read_until("step 6/500"));
  ASSERT_TRUE(program.send_until_end(SIGINT));
  const auto end = program.finish();
  EXPECT_EQ(end.code, 130);
  EXPECT_EQ(end.out.find("stopped"), std::string::npos);
  ASSERT_FALSE(saved_steps().empty());
  goes_on_to(saved_steps().back() + 2);
}

TEST_F(interruption, by_kill_at_any_moment_loses_no_checkpoint) {
  const words how{"--set",   "run.checkpoint_every=1",
                  "--set",   "run.keep_checkpoints=2",
                  "--steps", "100000"};
  std::mt19937 draw(1);
  std::int64_t newest = 0;
  for (int i = 0; i < 24; ++i) {
    SCOPED_TRACE(i);
    auto program = start(train_run(
      how + (newest > 0 ? words{"--resume", "run"} : words{"--out", "run"})));
    ASSERT_TRUE(program.read_until("saved ", 1 + draw() % 3))
      << program.finish().err;
    program.read_for(std::chrono::microseconds(draw() % 5000));
    program.send(SIGKILL);
    EXPECT_EQ(program.finish().code, 128 + SIGKILL);
    const auto steps = saved_steps();
    ASSERT_FALSE(steps.empty());
    EXPECT_GT(steps.back(), newest);
    newest = steps.back();
  }
  goes_on_to(newest + 1);
  for (const auto& [name, bytes] : files())
    EXPECT_EQ(name.find(partial_suffix), std::string::npos) << name;
}

TEST_F(interruption, by_another_process_in_the_same_place_is_refused) {
  auto first = start(train_run({"--steps", "12"}));
  ASSERT_TRUE(first.read_until("saved "));
  first.send(SIGSTOP);
  refuses(train_run({"--quiet", "--resume", "run"}),
          {"run: another process is running there"});
  first.send(SIGCONT);
  EXPECT_EQ(first.finish().code, 0);
  goes_on_to(12);
}

class full_disk : public interruption,
                  public testing::WithParamInterface<std::uint64_t> {};

// The limits stop, in this order: the run file, the model, the moments.
TEST_P(full_disk, leaves_the_last_checkpoint) {
  train("run", {"--steps", "4"});
  process_options options;
  options.file_size_bytes = GetParam();
  const auto end =
    run(train_run({"--quiet", "--resume", "run", "--steps", "12"}), options);
  EXPECT_EQ(end.code, 1);
  EXPECT_EQ(end.out, "");
  EXPECT_NE(end.err.find("run/"), std::string::npos) << end.err;
  EXPECT_NE(end.err.find("File too large"), std::string::npos) << end.err;
  EXPECT_EQ(saved_steps(), std::vector<std::int64_t>{4});
  goes_on_to(12);
}

INSTANTIATE_TEST_SUITE_P(at, full_disk, testing::Values(1000, 30'000, 100'000));

TEST_F(interruption, by_a_full_disk_names_the_last_checkpoint) {
  train("run", {"--steps", "4"});
  process_options options;
  options.file_size_bytes = 30'000;
  const auto end =
    run(train_run({"--quiet", "--resume", "run", "--steps", "12"}), options);
  EXPECT_NE(
    end.err.find("the last checkpoint is " + checkpoint("run", 4).string()),
    std::string::npos)
    << end.err;
}

TEST_F(interruption, by_output_that_nobody_can_write_is_told) {
  process_options options;
  options.output = "/dev/full";
  const auto end = run({"plan", "run.toml"}, options);
  EXPECT_EQ(end.code, 1);
  EXPECT_NE(end.err.find("standard output cannot be written"),
            std::string::npos);
}

class not_finite : public interruption {
protected:
  // Goes on from step 4 with a learning rate that ruins the weights.
  void fails(const words& arguments, const words& said) const {
    train("run", {"--steps", "4"});
    const auto end = run(train_run(words{"--quiet", "--resume", "run", "--set",
                                         "optimizer.learning_rate=1e30",
                                         "--set", "run.checkpoint_every=5"}
                                   + arguments));
    EXPECT_EQ(end.code, 1);
    EXPECT_EQ(end.out, "");
    for (const auto& text : said)
      EXPECT_NE(end.err.find(text), std::string::npos) << end.err;
    EXPECT_NE(
      end.err.find("the last checkpoint is " + checkpoint("run", 5).string()),
      std::string::npos)
      << end.err;
    EXPECT_EQ(saved_steps(), (std::vector<std::int64_t>{4, 5}));
    EXPECT_EQ(metrics("run").back()["step"], 5);
  }
};

TEST_F(not_finite, is_a_loss) {
  fails({}, {"step 6: the loss of micro-batch 0", "(stage 1)"});
}

TEST_F(not_finite, is_a_loss_of_the_plain_loop) {
  fails({"--sequential"}, {"step 6: the loss is "});
}

TEST_F(not_finite, is_a_gradient) {
  // The logits are about 1e28, the gradient of the middle 1e40.
  folder_.write("steep.toml", R"([model]
preset = "layers"
sequence = 16
layers = [
  { kind = "embedding", vocabulary = 256, width = 8, deviation = 1e20 },
  { kind = "linear", name = "mid", inputs = 8, outputs = 8, deviation = 1e-14 },
  { kind = "linear", inputs = 8, outputs = 256, deviation = 1e22 },
]
loss = { kind = "softmax_cross_entropy" }
[data]
path = "text.txt"
)");
  const auto end = run({"train", "steep.toml", "--quiet"});
  EXPECT_EQ(end.code, 1);
  EXPECT_EQ(end.out, "");
  EXPECT_NE(end.err.find("step 1: the gradient of mid.weight is not finite "
                         "(stage 0); nothing was saved before"),
            std::string::npos)
    << end.err;
}

TEST_F(not_finite, leaves_a_checkpoint_from_which_a_milder_run_goes_on) {
  fails({}, {});
  EXPECT_EQ(train("other",
                  {"--steps", "12", "--resume", checkpoint("run", 4).string()}),
            train("undisturbed", {"--steps", "12"}));
}

} // namespace

} // namespace actorpipe::test
