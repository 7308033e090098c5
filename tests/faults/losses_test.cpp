// SPDX-License-Identifier: Apache-2.0
/// Processes that are stopped, lost together, or lost while others recover.
#include "tests/faults/fault_bench.hpp"

#include <atomic>
#include <csignal>

namespace actorpipe::test {
namespace {

using kind = cluster_event::kind;

class losses_test : public fault_bench {};

TEST_F(losses_test, a_silent_node_is_replaced_and_returns) {
  add_nodes(3);
  const auto& what = quick_work(2);
  const auto line = make_line(what, options());
  train_to(*line, what, 10);
  nodes_[1]->signal(SIGSTOP);
  train_to(*line, what, 20);
  EXPECT_TRUE(holds(events_.await(kind::fault), nodes_[1]->address()));
  EXPECT_TRUE(holds(events_.text(), "silent for"));
  nodes_[1]->signal(SIGCONT);
  while (line->view().nodes[1].state != "spare")
    pause(std::chrono::milliseconds(20));
  EXPECT_TRUE(holds(nodes_[1]->log(), "free: "));
  // It is of use again.
  nodes_[2]->kill();
  finish(*line, what);
  EXPECT_EQ(line->view().nodes[1].stages, std::vector<std::uint32_t>{1});
}

TEST_F(losses_test, a_node_that_was_silent_for_a_moment_stays) {
  add_nodes(2);
  const auto& what = quick_work(2);
  auto how = options();
  how.heartbeat = std::chrono::seconds(5);
  const auto line = make_line(what, how);
  train_to(*line, what, 5);
  nodes_[0]->signal(SIGSTOP);
  pause(std::chrono::milliseconds(300));
  nodes_[0]->signal(SIGCONT);
  finish(*line, what);
  EXPECT_EQ(line->view().recoveries, 0U) << events_.text();
}

TEST_F(losses_test, a_cell_lost_with_its_replica_begins_anew) {
  add_nodes(2);
  const auto& what = quick_work(2);
  const auto line = make_line(what, options());
  train_to(*line, what, 12);
  for (const auto& x : nodes_)
    x->signal(SIGKILL);
  mend_nodes();
  finish(*line, what);
  EXPECT_TRUE(holds(events_.await(kind::recovered), "from step 0"));
}

TEST_F(losses_test, of_a_cell_lost_with_its_replica_what_was_given_is_there) {
  add_nodes(2);
  const auto& what = quick_work(2);
  const auto line = make_line(what, options());
  line->set_values(what.expected(20));
  done_ = 20;
  train_to(*line, what, 30);
  for (const auto& x : nodes_)
    x->signal(SIGKILL);
  mend_nodes();
  try {
    for (;; ++done_)
      line->train(what.data(done_ + 1), what.request(done_ + 1));
  } catch (const pipeline_error& error) {
    EXPECT_EQ(error.code(), error_code::rolled_back);
    EXPECT_EQ(error.version(), 0);
  }
  // As the run loop does with a checkpoint.
  line->set_values(what.expected(20));
  done_ = 20;
  finish(*line, what);
}

TEST_F(losses_test, the_replacement_too) {
  add_nodes(4);
  const auto& what = quick_work(2);
  auto how = options();
  std::atomic<bool> struck = false;
  how.on_event = [&](const cluster_event& event) {
    events_.add(event);
    // While the spare is being told to take over.
    if (event.what == kind::fault && !struck.exchange(true))
      nodes_[2]->signal(SIGKILL);
  };
  const auto line = make_line(what, how);
  train_to(*line, what, 10);
  nodes_[1]->kill();
  finish(*line, what);
  EXPECT_GE(events_.count(kind::fault), 2U);
}

TEST_F(losses_test, no_node_with_room_within_the_time_ends_the_run) {
  add_nodes(2);
  const auto& what = quick_work(2);
  auto how = options();
  how.wait_for_node = std::chrono::milliseconds(700);
  const auto line = make_line(what, how);
  train_to(*line, what, 10);
  nodes_[1]->kill();
  try {
    train_to(*line, what, what.steps);
    FAIL() << "the run went on";
  } catch (const pipeline_error& error) {
    EXPECT_EQ(error.code(), error_code::actor_lost);
    EXPECT_TRUE(holds(error.what(), "no node with room came back in time"));
    EXPECT_TRUE(holds(error.what(), nodes_[1]->address()));
  }
}

} // namespace
} // namespace actorpipe::test
