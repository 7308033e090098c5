// SPDX-License-Identifier: Apache-2.0
/// Processes that a launcher starts; shell scripts stand for nodes.
#include "actors/launch/launched_node.hpp"

#include "actors/launch/spawned_process.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <future>
#include <sstream>

namespace actorpipe {

namespace {

using namespace std::chrono_literals;

constexpr auto never = 1h; // longer than any test

std::string address_of(launched_node& node) {
  return node.address(std::chrono::steady_clock::now() + never).value();
}

class launched_node_test : public testing::Test {
protected:
  // A node that runs a shell script; where it is to listen is $1.
  std::unique_ptr<launched_node> start(const std::string& script,
                                       bool restarts = false) {
    launched_node_options how;
    how.name = "node 7";
    how.command = [script](const std::string& listen) {
      return std::vector<std::string>{"sh", "-c", script, "sh", listen};
    };
    how.listen = "host:0";
    how.input = "certificates\n";
    how.restarts = restarts;
    how.patience = patience_;
    how.log = [this](const std::string& text) {
      const std::lock_guard held(mutex_);
      log_ += text + '\n';
      if (!until_.empty() && log_.find(until_) != log_.npos) {
        until_.clear();
        reached_.set_value();
      }
    };
    how.printed = how.log;
    return std::make_unique<launched_node>(std::move(how));
  }

  void await_log(const std::string& text) {
    std::future<void> done;
    {
      const std::lock_guard held(mutex_);
      if (log_.find(text) != log_.npos)
        return;
      until_ = text;
      reached_ = {};
      done = reached_.get_future();
    }
    done.wait();
  }

  std::string log() {
    const std::lock_guard held(mutex_);
    return log_;
  }

  temporary_folder folder_;
  std::chrono::nanoseconds patience_ = never;

private:
  std::mutex mutex_;
  std::string log_;
  std::string until_;
  std::promise<void> reached_;
};

// Listens until its input ends.
const std::string good = "read line; echo \"listening on ${1%0}5\"; cat";

TEST_F(launched_node_test, tells_where_it_listens) {
  EXPECT_EQ(address_of(*start(good)), "host:5");
  EXPECT_EQ(log(), "");
}

TEST_F(launched_node_test, reads_its_input_first) {
  const auto file = (folder_ / "input").string();
  const auto node = start("read line; echo \"$line\" >" + file + "; echo "
                          + "listening on x:1; cat");
  address_of(*node);
  EXPECT_EQ(read_whole(file), "certificates\n");
}

TEST_F(launched_node_test, that_ends_early_is_told_with_what_it_printed) {
  const auto node = start("echo 'no such device' >&2; exit 3");
  try {
    address_of(*node);
    FAIL();
  } catch (const launch_error& error) {
    EXPECT_STREQ(error.what(), "node 7 ended with exit code 3 before it was "
                               "ready:\n  no such device");
  }
}

TEST_F(launched_node_test, that_is_no_program_is_told) {
  launched_node_options how;
  how.name = "node 7";
  how.command = [](const std::string&) {
    return std::vector<std::string>{"/nowhere/program"};
  };
  how.log = how.printed = [](const std::string&) {};
  launched_node node(std::move(how));
  try {
    address_of(node);
    FAIL();
  } catch (const launch_error& error) {
    EXPECT_STREQ(error.what(),
                 "node 7 could not be started (/nowhere/program: cannot be "
                 "started: No such file or directory) before it was ready");
  }
}

TEST_F(launched_node_test, is_not_there_before_it_says_so) {
  const auto node = start("cat");
  EXPECT_FALSE(node->address(std::chrono::steady_clock::now()));
}

TEST_F(launched_node_test, is_ended_though_it_ignores_the_kind_ways) {
  patience_ = 1ms;
  address_of(*start("trap '' TERM; echo listening on x:1; exec sleep 1000"));
}

TEST_F(launched_node_test, passes_on_what_it_says) {
  const auto node = start("echo one >&2; echo two >&2;" + good);
  await_log("node 7: one\nnode 7: two\n");
}

TEST_F(launched_node_test, is_started_again_at_its_address) {
  const auto seen = (folder_ / "seen").string();
  const auto node = start("echo $1 >>" + seen
                            + "; read line; echo listening on host:5;"
                              "[ $(wc -l <"
                            + seen + ") -lt 3 ] && kill -9 $$; cat",
                          true);
  await_log("started again\nnode 7 (host:5) was killed by signal 9 (Killed); "
            "it is started again\n");
  // The third stays.
  EXPECT_EQ(address_of(*node), "host:5");
  node->stop();
}

TEST_F(launched_node_test, that_dies_again_and_again_is_left_dead) {
  const auto node = start("echo listening on host:5; exit 1", true);
  await_log("for the 5th time within a minute; it is left dead");
  EXPECT_EQ(address_of(*node), "host:5");
}

TEST_F(launched_node_test, is_not_started_again_unless_asked) {
  const auto node = start("echo listening on host:5; exit 1");
  await_log("node 7 (host:5) ended with exit code 1\n");
}

TEST(spawned_process, has_a_process_group_of_its_own) {
  spawned_process program({"sh", "-c", "cat"});
  EXPECT_EQ(getpgid(program.pid()), program.pid());
  program.close_input();
  EXPECT_EQ(describe_end(program.wait()), "ended with exit code 0");
}

TEST(spawned_process, may_have_gone_when_it_is_written_to) {
  spawned_process program({"true"});
  // Ends, and with it the other end of the stream.
  while (program.write_input(std::string(4096, 'x'))) {
  }
  EXPECT_EQ(describe_end(program.wait()), "ended with exit code 0");
}

TEST(spawned_process, is_killed_with_its_holder) {
  pid_t pid = 0;
  {
    spawned_process program({"sleep", "1000"});
    pid = program.pid();
  }
  EXPECT_EQ(kill(pid, 0), -1);
}

} // namespace

} // namespace actorpipe
