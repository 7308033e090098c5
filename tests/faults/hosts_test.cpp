// SPDX-License-Identifier: Apache-2.0
/// A run over hosts of their own, and networks that are cut and heal: the
/// programs as their users run them, with the certificates that the script
/// makes.
#include "tests/faults/fault_bench.hpp"
#include "tests/faults/program_bench.hpp"
#include "tests/support/network_hosts.hpp"

#include <csignal>
#include <cstdlib>
#include <optional>
#include <regex>

namespace actorpipe::test {
namespace {

constexpr std::size_t trainer = 0; // nodes are 1, 2 and 3

class hosts_test : public program_bench {
protected:
  void SetUp() override {
    try {
      hosts_.emplace(4);
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << error.what();
    }
    const auto made =
      start({ACTORPIPE_SOURCE_DIR "/scripts/make_certificates",
             (folder_ / "tls").string(), "trainer", "node1", "node2", "node3"})
        .finish();
    ASSERT_EQ(made.code, 0) << made.err;
  }

  tls_files files_of(const std::string& name) const {
    const auto folder = (folder_ / "tls").string();
    return {folder + '/' + name + ".pem", folder + '/' + name + "-key.pem",
            folder + "/authority.pem"};
  }

  void start_nodes(std::string (*ip)(std::size_t)) {
    for (std::size_t i = 1; i <= 3; ++i) {
      node_program_options options;
      options.before = hosts_->on(i);
      options.listen = ip(i) + ":7070";
      options.tls = files_of(text("node", i));
      nodes_.push_back(
        std::make_unique<node_program>(ACTORPIPE_PROGRAM, options));
    }
    tls_ = files_of("trainer");
    before_ = hosts_->on(trainer);
  }

  std::optional<network_hosts> hosts_;
};

TEST_F(hosts_test, give_the_bits_of_one_process) {
  start_nodes(network_hosts::ip4);
  EXPECT_EQ(sum_of(start(train_on_nodes("run")).finish()), expected());
}

TEST_F(hosts_test, have_addresses_of_both_kinds) {
  start_nodes(network_hosts::ip6);
  EXPECT_EQ(sum_of(start(train_on_nodes("run")).finish()), expected());
}

TEST_F(hosts_test, cut_off_are_noticed_by_their_silence) {
  start_nodes(network_hosts::ip4);
  auto program = start(train_on_nodes("run", {"--steps", "60"}));
  ASSERT_TRUE(program.read_until("saved "));
  hosts_->cut(2);
  // The spare has taken over.
  ASSERT_TRUE(program.read_until("saved ", 6));
  hosts_->heal(2);
  const auto end = program.finish();
  EXPECT_EQ(sum_of(end),
            sum_of(start(train("plain", {"--steps", "60"})).finish()));
  std::smatch found;
  ASSERT_TRUE(std::regex_search(
    end.err, found, std::regex("node 10.77.0.3:7070 is silent for ([0-9.]+)")))
    << end.err;
  const auto heartbeats = std::stod(found[1]) / heartbeat_s;
  std::cout << "noticed after " << heartbeats << " heartbeats of silence\n";
  EXPECT_GE(heartbeats, 2.7);
  EXPECT_LT(heartbeats, 3.5);
}

// The half with the trainer lacks a node; the other, with two, lacks the
// trainer.
TEST_F(hosts_test, of_two_halves_neither_goes_on_alone) {
  start_nodes(network_hosts::ip4);
  auto program = start(train_on_nodes("run", {"--set", "run.log_every=1"}));
  ASSERT_TRUE(program.read_until("saved "));
  hosts_->cut(2);
  hosts_->cut(3);
  for (const auto i : {1, 2})
    while (nodes_[i]->log().find("free: the trainer") == std::string::npos)
      pause(std::chrono::milliseconds(20));
  // Nobody makes steps there, and nobody here.
  program.read_for(std::chrono::milliseconds(300));
  const auto before = program.output().size();
  program.read_for(std::chrono::milliseconds(700));
  EXPECT_EQ(program.output().size(), before);
  hosts_->heal(2);
  hosts_->heal(3);
  const auto end = program.finish();
  EXPECT_EQ(sum_of(end), expected());
  EXPECT_TRUE(holds(end.err, "no node has room"));
}

} // namespace
} // namespace actorpipe::test
