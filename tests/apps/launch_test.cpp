// SPDX-License-Identifier: Apache-2.0
/// `launch` and `train --nodes`: the same bits from several processes, and
/// nothing left of them.
#include "tests/apps/cluster_program_test.hpp"

#include <algorithm>
#include <csignal>
#include <sched.h>
#include <unistd.h>

namespace actorpipe::test {

namespace {

class launch : public cluster_program_test {
protected:
  process_end launched(const words& arguments) const {
    return run_marked(words{"launch", "run.toml", "--quiet"} + arguments);
  }

  // Expects that it fails so and leaves nothing.
  void fails(const words& arguments, int code, const words& said) const {
    SCOPED_TRACE(testing::PrintToString(arguments));
    const auto end = launched(arguments);
    EXPECT_EQ(end.code, code);
    EXPECT_EQ(end.out, "");
    for (const auto& text : said)
      EXPECT_NE(end.err.find(text), std::string::npos)
        << "\"" << text << "\" is not in: " << end.err;
    leaves_nothing();
  }

  // A program that does with a host's name and command what ssh does, here.
  std::string local_shell() const {
    return folder_.write("shell", "shift\nexec sh -c \"$1\"\n").string();
  }
};

TEST_F(launch, gives_the_bits_of_one_process) {
  const auto sum = train("alone");
  for (const auto& how :
       {words{"--local", "3"}, words{"--local", "2", "--insecure"},
        words{"--local", "2", "--devices-per-node", "2", "--spares", "1"},
        words{"--local", "3", "--stages", "2", "--schedule", "1f1b"}}) {
    SCOPED_TRACE(testing::PrintToString(how));
    const auto end = launched(how);
    EXPECT_EQ(end.code, 0);
    EXPECT_EQ(complaints(end), "");
    EXPECT_EQ(sum_of(end.out), sum);
    leaves_nothing();
  }
}

TEST_F(launch, goes_on_from_what_one_process_saved) {
  const auto sum = train("alone", {"--steps", "12"});
  train("run", {"--steps", "4"});
  const auto end =
    launched({"--local", "2", "--resume", "run", "--steps", "12"});
  EXPECT_EQ(sum_of(end.out), sum);
}

TEST_F(launch, ends_after_the_step_when_it_is_interrupted) {
  auto program =
    start_marked({"launch", "run.toml", "--local", "2", "--steps", "5000"});
  ASSERT_TRUE(program.read_until("step 6/5000"));
  program.send(SIGINT);
  const auto end = program.finish();
  EXPECT_EQ(end.code, 130);
  const auto steps = after(end.out, "stopped after step ", ";");
  EXPECT_EQ(sum_of(end.out), train("short", {"--steps", steps}));
  leaves_nothing();
}

TEST_F(launch, takes_its_nodes_with_it_when_it_is_killed) {
  auto program =
    start_marked({"launch", "run.toml", "--local", "2", "--steps", "5000"});
  ASSERT_TRUE(program.read_until("step 2/5000"));
  EXPECT_EQ(processes().size(), 3U);
  program.send(SIGKILL);
  program.finish();
  await_end_of_processes();
  leaves_nothing();
}

TEST_F(launch, starts_a_node_again_that_is_killed) {
  const auto sum = train("alone", {"--steps", "200"});
  auto program = start_marked({"launch", "run.toml", "--local", "2", "--steps",
                               "200", "--set", "cluster.heartbeat_ms=200",
                               "--set", "run.checkpoint_every=50"});
  ASSERT_TRUE(program.read_until("step 4/200"));
  // The launcher's process is the first of them.
  const auto all = processes();
  ASSERT_EQ(all.size(), 3U);
  kill(*std::ranges::max_element(all), SIGKILL);
  const auto end = program.finish();
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_NE(
    end.err.find("was killed by signal 9 (Killed); it is started again"),
    std::string::npos)
    << end.err;
  EXPECT_EQ(sum_of(end.out), sum);
  std::vector<double> losses[2];
  for (const auto* name : {"run", "alone"})
    for (const auto& line : metrics(name))
      if (line.contains("loss"))
        losses[name == std::string("run")].push_back(line["loss"]);
  EXPECT_EQ(losses[0], losses[1]);
  leaves_nothing();
}

TEST_F(launch, has_a_process_replaced_whose_stage_does_not_return) {
  folder_.write("faults", "[[fault]]\ndo = \"stall\"\nstage = 1\nstep = 2\n"
                          "for_ms = 36000000\n");
  const auto end =
    launched({"--local", "2", "--faults", "faults", "--set",
              "cluster.stall_s=1", "--set", "cluster.heartbeat_ms=200"});
  EXPECT_EQ(end.code, 0) << end.err;
  // It replaces itself: the launcher sees no end.
  EXPECT_EQ(end.err.find("is started again"), std::string::npos) << end.err;
  EXPECT_NE(end.err.find("recovery: "), std::string::npos) << end.err;
  EXPECT_EQ(sum_of(end.out), train("alone"));
  leaves_nothing();
}

TEST_F(launch, over_a_shell_gives_the_bits_of_one_process) {
  folder_.write("hosts", "127.0.0.1 command=" ACTORPIPE_PROGRAM "\n"
                         "me@127.0.0.1 devices=cpu:0,cpu:1 "
                         "command=" ACTORPIPE_PROGRAM "\n");
  const auto end =
    launched({"--hosts", "hosts", "--ssh", "sh " + local_shell()});
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(complaints(end), "");
  EXPECT_EQ(sum_of(end.out), train("alone"));
  leaves_nothing();
}

TEST_F(launch, tells_what_a_node_printed_that_did_not_come_up) {
  folder_.write("hosts", "127.0.0.1 command=/nowhere/actorpipe\n");
  fails({"--hosts", "hosts", "--ssh", "sh " + local_shell()}, 1,
        {"node 0 on 127.0.0.1 ended with exit code 127 before it was ready",
         "/nowhere/actorpipe"});
  fails({"--hosts", "hosts", "--ssh", "/nowhere/ssh"}, 1,
        {"could not be started (/nowhere/ssh: cannot be started: No such"});
}

TEST_F(launch, can_be_interrupted_before_its_nodes_are_there) {
  folder_.write("hosts", "127.0.0.1\n");
  folder_.write("silent", "echo here >&2\nexec sleep 100000\n");
  auto program = start_marked({"launch", "run.toml", "--hosts", "hosts",
                               "--ssh", "sh " + (folder_ / "silent").string()});
  while (processes().size() < 2)
    sched_yield();
  program.send(SIGINT);
  // The other does not end by itself, nor with its input.
  EXPECT_EQ(program.finish().code, 130);
  leaves_nothing();
}

TEST_F(launch, refuses_what_does_not_fit) {
  folder_.write("hosts", "a\nb\n");
  fails({}, 2, {"--local", "--hosts"});
  fails({"--local", "2", "--hosts", "hosts"}, 2, {"--local", "--hosts"});
  fails({"--local", "0"}, 2, {"--local"});
  fails({"--local", "two"}, 2, {"--local"});
  fails({"--hosts", "missing"}, 2, {"missing: cannot be read"});
  fails({"--hosts", "hosts", "--spares", "2"}, 2, {"--spares: 2 of the 2"});
  fails({"--local", "9"}, 2, {"9 cells", "the model has only 7 layers"});
  fails({"--local", "2", "--set", "model.width=0"}, 2, {"model.width"});
  fails({"--local", "2", "--set", "cluster.nodes=[\"a:1\"]"}, 2,
        {"cluster.nodes is set"});
  fails({"--local", "2", "--plugin", "no.so"}, 2, {"no.so"});
  fails({"--local", "2", "--tls-cert", "a"}, 2, {"--tls-key is missing"});
}

class train_on_nodes : public launch {};

TEST_F(train_on_nodes, gives_the_bits_of_one_process) {
  auto a = start_marked({"node", "--listen", "127.0.0.1:0", "--insecure"});
  auto b = start_marked({"node", "--listen", "127.0.0.1:0", "--insecure"});
  ASSERT_TRUE(a.read_until("\n") && b.read_until("\n"));
  const auto nodes = address_in(a.output()) + "," + address_in(b.output());
  const words how{"--nodes", nodes, "--insecure"};
  const auto sum = train("alone");
  // Twice: the nodes are free again. The second goes the other way round.
  EXPECT_EQ(train("first", how), sum);
  EXPECT_EQ(train("second", how + words{"--set", "cluster.placement=[1, 0]"}),
            sum);
}

TEST_F(train_on_nodes, refuses_what_does_not_fit) {
  const words to{"train", "run.toml", "--nodes"};
  refuses(to + words{"a:1"}, {"--tls-cert", "--insecure"});
  refuses(to + words{"a:1,"}, {"--nodes must be a list"});
  refuses(to + words{"a:b"}, {"cluster.nodes", "HOST:PORT"});
  refuses(to + words{"a:1", "--insecure", "--sequential"}, {"--sequential"});
  refuses(to + words{"a:1", "--insecure", "--faults", "no.toml"},
          {"--faults: no.toml cannot be read"});
  refuses({"train", "run.toml", "--faults", "no.toml"},
          {"--faults", "--nodes"});
  refuses({"train", "run.toml", "--insecure"}, {"give --nodes"});
  refuses(
    {"train", "run.toml", "--nodes", "a:1", "--set", "cluster.tls_key=k.pem"},
    {"cluster.tls_certificate"});
}

TEST_F(train_on_nodes, names_a_node_that_is_not_there) {
  auto gone = start_marked({"node", "--listen", "127.0.0.1:0", "--insecure"});
  ASSERT_TRUE(gone.read_until("\n"));
  const auto where = address_in(gone.output());
  gone.send(SIGTERM);
  gone.finish();
  const auto end = run({"train", "run.toml", "--nodes", where, "--insecure",
                        "--quiet", "--set", "cluster.wait_s=1"});
  EXPECT_EQ(end.code, 1);
  EXPECT_EQ(end.out, "");
  EXPECT_NE(end.err.find(where), std::string::npos) << end.err;
  EXPECT_NE(end.err.find("refused"), std::string::npos) << end.err;
}

} // namespace

} // namespace actorpipe::test
