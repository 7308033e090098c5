// SPDX-License-Identifier: Apache-2.0
/// The trainer's process killed, and faults around its checkpoints: the program
/// as its user runs it.
#include "tests/apps/child_process.hpp"
#include "tests/faults/fault_bench.hpp"
#include "tests/support/temporary_folder.hpp"

#include <csignal>

namespace actorpipe::test {
namespace {

using words = std::vector<std::string>;

class trainer_test : public fault_bench {
protected:
  /// `train` on the nodes, or in its own process when there are none.
  words train(const std::string& out, const words& more = {}) const {
    words result{ACTORPIPE_PROGRAM,
                 "train",
                 ACTORPIPE_SOURCE_DIR "/config/tiny.toml",
                 "--set",
                 "run.checkpoint_every=5",
                 "--steps",
                 "40",
                 "--out",
                 out};
    result.insert(result.end(), more.begin(), more.end());
    return result;
  }

  words train_on_nodes(const std::string& out, words more = {}) const {
    std::string list;
    for (const auto& x : nodes_)
      list += (list.empty() ? "" : ",") + x->address();
    more.insert(more.end(), {"--nodes", list, "--tls-cert", tls_.certificate,
                             "--tls-key", tls_.key, "--tls-ca", tls_.authority,
                             "--set", "cluster.heartbeat_ms=500"});
    return train(out, more);
  }

  child_process start(const words& command) const {
    process_options options;
    options.folder = folder_.path();
    return {command, options};
  }

  /// The sum over the parameters that it prints last.
  static std::string sum_of(const process_end& end) {
    EXPECT_EQ(end.code, 0) << end.err;
    return end.out.substr(
      std::min(end.out.find("parameters sha256"), end.out.size()));
  }

  const std::string& expected() const {
    static const auto result = sum_of(start(train("plain")).finish());
    return result;
  }

  temporary_folder folder_;
};

TEST_F(trainer_test, killed_goes_on_with_the_nodes_that_are_still_up) {
  add_nodes(2);
  for (const auto seed : seeds(2)) {
    const auto out = "run" + std::to_string(seed);
    auto first = start(train_on_nodes(out));
    ASSERT_TRUE(first.read_until("saved ", 1 + seed % 6));
    first.read_for(std::chrono::microseconds(seed * 1'237 % 20'000));
    first.send(SIGKILL);
    EXPECT_EQ(first.finish().code, 128 + SIGKILL);
    auto second = start(train_on_nodes(out, {"--resume", out}));
    EXPECT_EQ(sum_of(second.finish()), expected());
  }
}

TEST_F(trainer_test, loses_a_node_while_it_saves) {
  add_nodes(3);
  auto program = start(train_on_nodes("run"));
  for (std::size_t i = 1; i < 4; ++i) {
    ASSERT_TRUE(program.read_until("saved ", i));
    // The next step has hardly begun.
    nodes_[i % 2]->kill();
    nodes_[i % 2]->start();
  }
  EXPECT_EQ(sum_of(program.finish()), expected());
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
  EXPECT_TRUE(holds(end.err, "replayed from version"));
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
