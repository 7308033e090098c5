// SPDX-License-Identifier: Apache-2.0
/// Control messages in great number while tensors flow, and large tensors while
/// heartbeats do: neither stops the other.
#include "tests/faults/fault_bench.hpp"

#include <atomic>
#include <thread>

namespace actorpipe::test {
namespace {

class flood_test : public fault_bench {
protected:
  // No node is silent for three of them because the machine is busy.
  cluster_options patient() {
    auto result = options();
    result.heartbeat = std::chrono::seconds(2);
    return result;
  }
};

TEST_F(flood_test, questions_without_end_lose_no_node) {
  add_nodes(2);
  const auto& what = quick_work(2);
  const auto line = make_line(what, patient());
  std::atomic<std::int64_t> answered = 0;
  std::atomic<bool> done = false;
  std::vector<std::jthread> curious;
  for (int i = 0; i < 4; ++i)
    curious.emplace_back([&, i] {
      for (; !done; ++answered)
        query_status(nodes_[static_cast<std::size_t>(i) % 2]->address(), tls_,
                     std::chrono::seconds(60));
    });
  while (answered < 20)
    train_to(*line, what, done_ + 1);
  done = true;
  curious.clear();
  EXPECT_EQ(line->view().recoveries, 0U) << events_.text();
  EXPECT_TRUE(
    same_values(*what.line.source, line->values(), what.expected(done_)));
}

// 16 MiB for each micro-batch and direction.
TEST_F(flood_test, large_tensors_lose_no_node) {
  add_nodes(2);
  const auto& what = wide_work();
  const auto line = make_line(what, patient());
  finish(*line, what);
  EXPECT_EQ(line->view().recoveries, 0U) << events_.text();
}

} // namespace
} // namespace actorpipe::test
