// SPDX-License-Identifier: Apache-2.0
/// A trainer in the test, nodes in processes of their own, and what is expected
/// of a run whatever befalls them.
#pragma once

#include "actors/cluster/cluster.hpp"
#include "actors/control/certificates.hpp"
#include "tests/support/line_options.hpp"
#include "tests/support/node_program.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace actorpipe::test {

/// Lets time pass, for faults at a random moment; nothing is awaited with it.
void pause(std::chrono::microseconds duration);

/// From ACTORPIPE_SEEDS, "A..B", or 1 to `count`.
std::vector<std::uint64_t> seeds(std::uint64_t count);

/// What is trained: a small Transformer with dropout.
struct workload {
  line_case line;
  std::int64_t steps = 0;

  batch data(std::int64_t step) const;
  train_request request(std::int64_t step) const;
  /// After so many steps without a pipeline. Computed once.
  const model_values& expected(std::int64_t after) const;
};

/// A step takes a few milliseconds, or some fifty.
const workload& quick_work(std::uint32_t stages);
const workload& slow_work(std::uint32_t stages);
/// Two stages with 16 MiB between them for each micro-batch.
const workload& wide_work();

/// What the cluster said, in order. May be used from any thread.
class event_log {
public:
  void add(const cluster_event& event);
  /// Waits for the n-th event of that kind, counted from 1; returns its text.
  std::string await(cluster_event::kind what, std::size_t n = 1);
  std::size_t count(cluster_event::kind what) const;
  /// All texts, one a line.
  std::string text() const;

private:
  std::vector<std::string> of(cluster_event::kind what) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<cluster_event> all_;
};

class fault_bench : public ::testing::Test {
protected:
  /// With mutual TLS.
  node_program& add_node(node_program_options options = {});
  void add_nodes(std::size_t count);
  /// Whatever was killed or stopped is there again.
  void mend_nodes();

  /// Over all nodes, in order, with events in `events_`.
  cluster_options options();
  std::unique_ptr<cluster> make_line(const workload& what, cluster_options how);

  /// Trains up to `last`, giving mini-batches again as a run loop does: a layer
  /// that failed is tried again.
  void train_to(cluster& line, const workload& what, std::int64_t last);
  /// All of `what`, and the values are those without faults.
  void finish(cluster& line, const workload& what);

  /// The message of the error that making a line ends with; "none" otherwise.
  std::string refusal(const workload& what, cluster_options how);

  one_run_authority authority_;
  tls_files tls_ = authority_.make("everyone");
  std::vector<std::unique_ptr<node_program>> nodes_;
  event_log events_;
  std::int64_t done_ = 0; ///< steps
};

/// Whether `text` holds `part`; shows it when not.
::testing::AssertionResult holds(std::string_view text, std::string_view part);

} // namespace actorpipe::test
