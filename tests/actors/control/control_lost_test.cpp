// SPDX-License-Identifier: Apache-2.0
/// Peers that end, return, and stop without a word.
#include "actors/control/control.hpp"

#include "tests/actors/control/control_bench.hpp"

#include <csignal>
#include <memory>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace actorpipe::test {

namespace {

using namespace std::chrono_literals;

constexpr auto fast_heartbeat = 100ms;

/// A node in a process of its own, which ends with this one at the latest.
class node_process {
public:
  explicit node_process(const tls_files& files, std::uint16_t port = 0) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const descriptor reader(ends[0]);
    const descriptor writer(ends[1]);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      peer node(files, fast_heartbeat);
      where_ = node.listen(port);
      if (::write(ends[1], &where_.port, sizeof(where_.port)) > 0)
        for (;;)
          ::pause();
      ::_exit(1);
    }
    where_ = {"127.0.0.1", 0};
    EXPECT_EQ(::read(ends[0], &where_.port, sizeof(where_.port)),
              static_cast<ssize_t>(sizeof(where_.port)));
  }

  ~node_process() {
    send(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  void send(int signal) const { ::kill(pid_, signal); }

  const endpoint& where() const { return where_; }

private:
  pid_t pid_ = -1;
  endpoint where_;
};

/// Monitors an actor.
class watcher {
public:
  watcher(caf::actor_system& system, const caf::strong_actor_ptr& whom)
    : self_(system) {
    self_->monitor(caf::actor_cast<caf::actor>(whom));
  }

  bool is_told_that_it_is_down() {
    bool result = false;
    self_->receive([&](const caf::down_msg&) { result = true; },
                   caf::after(patience) >> [] {});
    return result;
  }

private:
  caf::scoped_actor self_;
};

class control_lost_test : public testing::Test {
protected:
  caf::strong_actor_ptr reach(peer& from, const endpoint& where) {
    const auto found = connect_control(from.system, where, patience);
    EXPECT_EQ(found.failure, "");
    return found.actor;
  }

  // Whether a new connection works, now or soon. The first may be deaf: the
  // peer takes it for a second one and forgets both with the old one; CAF
  // notices that it is silent.
  bool can_reach(peer& from, const endpoint& where) {
    return comes_true([&] {
      const auto found = connect_control(from.system, where, patience);
      return found.actor != nullptr
          && ask(from.system, found.actor, 41, 1s) == 42;
    });
  }

  one_run_authority authority_;
  tls_files trainer_files_ = authority_.make("trainer");
  tls_files node_files_ = authority_.make("node");
};

TEST_F(control_lost_test, a_peer_that_ended_is_down) {
  std::optional<peer> node(std::in_place, node_files_);
  peer trainer(trainer_files_);
  watcher watch(trainer.system, reach(trainer, node->listen()));
  node.reset();
  EXPECT_TRUE(watch.is_told_that_it_is_down());
}

TEST_F(control_lost_test, its_successor_on_the_same_port_is_reached_at_once) {
  std::optional<peer> node(std::in_place, node_files_);
  peer trainer(trainer_files_);
  const auto where = node->listen();
  auto last = reach(trainer, where);
  for (int i = 0; i < 5; ++i) {
    node.reset();
    node.emplace(node_files_);
    node->listen(where.port);
    const auto next = reach(trainer, where);
    EXPECT_NE(next, last);
    EXPECT_EQ(ask(trainer.system, next, i), i + 1);
    last = next;
  }
}

TEST_F(control_lost_test, a_peer_that_was_stopped_is_down_and_returns) {
  const node_process node(node_files_);
  peer trainer(trainer_files_, fast_heartbeat);
  watcher watch(trainer.system, reach(trainer, node.where()));
  node.send(SIGSTOP);
  EXPECT_TRUE(watch.is_told_that_it_is_down());
  EXPECT_NE(trainer.failure(node.where(), impatience).find("does not answer"),
            std::string::npos);
  node.send(SIGCONT);
  EXPECT_TRUE(can_reach(trainer, node.where()));
}

TEST_F(control_lost_test, a_peer_that_was_killed_while_stopped_is_replaced) {
  auto node = std::make_unique<node_process>(node_files_);
  const auto where = node->where();
  peer trainer(trainer_files_, fast_heartbeat);
  const auto first = reach(trainer, where);
  node->send(SIGSTOP);
  trainer.failure(where, impatience);
  node.reset();
  node = std::make_unique<node_process>(node_files_, where.port);
  EXPECT_TRUE(can_reach(trainer, where));
}

} // namespace

} // namespace actorpipe::test
