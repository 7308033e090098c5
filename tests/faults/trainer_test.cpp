// SPDX-License-Identifier: Apache-2.0
/// The trainer's process killed, and faults around its checkpoints: the program
/// as its user runs it.

#include "tests/faults/program_bench.hpp"

#include <csignal>
#include <random>

namespace actorpipe::test {
namespace {

class trainer_test : public program_bench {};

TEST_F(trainer_test, killed_goes_on_with_the_nodes_that_are_still_up) {
  add_nodes(2);
  for (const auto seed : seeds(2)) {
    const auto out = text("run", seed);
    auto first = start(train_on_nodes(out));
    ASSERT_TRUE(first.read_until("saved ", 1 + seed % 6));
    first.read_for(std::chrono::microseconds(seed * 1'237 % 20'000));
    first.send(SIGKILL);
    EXPECT_EQ(first.finish().code, 128 + SIGKILL);
    auto second = start(train_on_nodes(out, {"--resume", out}));
    EXPECT_EQ(sum_of(second.finish()), expected());
  }
}

// It saves after each step, which takes longer than the step.
TEST_F(trainer_test, loses_nodes_while_it_saves) {
  add_nodes(3);
  for (const auto seed : seeds(1)) {
    SCOPED_TRACE(seed);
    std::mt19937_64 draw(seed);
    const auto out = text("saving", seed);
    auto program =
      start(train_on_nodes(out, {"--set", "run.checkpoint_every=1"}));
    for (std::size_t i = 1; i < 4; ++i) {
      ASSERT_TRUE(program.read_until("saved ", 8 * i));
      program.read_for(std::chrono::microseconds(draw() % 20'000));
      auto& victim = *nodes_[draw() % 3];
      victim.kill();
      victim.start();
    }
    EXPECT_EQ(sum_of(program.finish()), expected());
  }
}

TEST_F(trainer_test, loses_all_nodes_and_goes_on_from_its_checkpoint) {
  add_nodes(2);
  auto program = start(train_on_nodes("run"));
  ASSERT_TRUE(program.read_until("saved ", 3));
  for (const auto& x : nodes_)
    x->kill();
  mend_nodes();
  const auto end = program.finish();
  EXPECT_EQ(sum_of(end), expected());
  EXPECT_TRUE(holds(end.err, "going on from step 0"));
  EXPECT_TRUE(holds(end.err, "goes on after step "));
}

TEST_F(trainer_test, that_is_stopped_and_returns_finds_its_nodes_again) {
  add_nodes(2);
  auto program = start(train_on_nodes("run"));
  ASSERT_TRUE(program.read_until("saved ", 2));
  program.send(SIGSTOP);
  // Until they take it for dead.
  for (const auto& x : nodes_)
    while (x->log().find("free: the trainer") == std::string::npos)
      pause(std::chrono::milliseconds(20));
  program.send(SIGCONT);
  EXPECT_EQ(sum_of(program.finish()), expected());
}

TEST_F(trainer_test, is_refused_by_nodes_that_work_for_another) {
  add_nodes(2);
  auto first = start(train_on_nodes("run", {"--steps", "2000"}));
  ASSERT_TRUE(first.read_until("saved "));
  const auto second =
    start(train_on_nodes("other", {"--set", "cluster.wait_s=1"})).finish();
  EXPECT_EQ(second.code, 1);
  EXPECT_TRUE(holds(second.err, "it works for the run of "));
  first.send(SIGINT);
  EXPECT_EQ(first.finish().code, 130);
}

} // namespace
} // namespace actorpipe::test
