// SPDX-License-Identifier: Apache-2.0
/// A run over nodes of this process: real connections on loopback.
#include "actors/cluster/cluster.hpp"
#include "actors/cluster/node_process.hpp"
#include "actors/control/certificates.hpp"
#include "tests/support/line_options.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace actorpipe::test {
namespace {

class cluster_test : public ::testing::Test {
protected:
  std::unique_ptr<node_process> start_node(std::size_t devices = 1) {
    node_options options;
    options.listen = "127.0.0.1:0";
    options.devices.clear();
    for (std::size_t i = 0; i < devices; ++i)
      options.devices.push_back("cpu:" + std::to_string(i));
    options.tls = tls_;
    options.registry = pipeline_registry();
    return std::make_unique<node_process>(std::move(options));
  }

  void start_nodes(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      nodes_.push_back(start_node());
      addresses_.push_back(nodes_.back()->address());
    }
  }

  static line_case mixed_case(const arrangement& how) {
    line_case result;
    result.source = build_model(mixed_model(), pipeline_registry());
    result.rule.kind = optimizer_kind::adam;
    result.how = how;
    result.like = perceptron_batch(1);
    return result;
  }

  static pipeline_options line_of(const line_case& x) {
    auto result = options_of(x);
    result.devices.clear();
    return result;
  }

  cluster_options options() {
    cluster_options result;
    result.nodes = addresses_;
    result.tls = tls_;
    result.heartbeat = std::chrono::milliseconds(200);
    result.on_event = [this](const cluster_event& event) {
      events_.push_back(event.text);
    };
    return result;
  }

  static batch data(std::int64_t step) {
    return perceptron_batch(7, static_cast<std::uint64_t>(step) + 1);
  }

  static train_request request(std::int64_t step) { return {step, 0.05, 1}; }

  // The same on this process's CPU devices.
  static model_values plain_values(const line_case& x, std::int64_t steps) {
    sequential_trainer loop(x.source, make_optimizer(x.rule),
                            make_cpu_device("plain", 1), x.seed);
    for (std::int64_t step = 1; step <= steps; ++step)
      loop.train(data(step), step, as_options(request(step), x));
    return loop.values();
  }

  // Trains up to `last`, giving mini-batches again as a run loop does.
  static void train_to(cluster& line, std::int64_t& done, std::int64_t last) {
    while (done < last) {
      try {
        line.train(data(done + 1), request(done + 1));
        ++done;
      } catch (const pipeline_error& error) {
        ASSERT_EQ(error.code(), error_code::rolled_back) << error.what();
        done = error.version();
      }
    }
  }

  one_run_authority authority_;
  std::optional<tls_files> tls_ = authority_.make("everyone");
  std::vector<std::unique_ptr<node_process>> nodes_;
  std::vector<std::string> addresses_;
  std::vector<std::string> events_;
};

TEST_F(cluster_test, gives_the_bits_of_the_plain_loop) {
  const auto what = mixed_case({3, 4, 7});
  start_nodes(3);
  cluster line(options(), line_of(what), pipeline_registry());
  std::int64_t done = 0;
  train_to(line, done, 5);
  EXPECT_EQ(line.view().version, 5);
  EXPECT_TRUE(same_values(*what.source, line.values(), plain_values(what, 5)));
}

TEST_F(cluster_test, evaluates_and_takes_values) {
  const auto what = mixed_case({2, 3, 7});
  start_nodes(2);
  const auto after = plain_values(what, 3);
  cluster line(options(), line_of(what), pipeline_registry());
  line.set_values(after);
  EXPECT_TRUE(same_values(*what.source, line.values(), after));
  EXPECT_GT(line.evaluate(data(9)).loss, 0);
  std::int64_t done = 3;
  train_to(line, done, 5);
  EXPECT_TRUE(same_values(*what.source, line.values(), plain_values(what, 5)));
}

TEST_F(cluster_test, survives_the_end_of_a_node_when_there_is_a_spare) {
  const auto what = mixed_case({2, 3, 7});
  start_nodes(3);
  cluster line(options(), line_of(what), pipeline_registry());
  std::int64_t done = 0;
  train_to(line, done, 3);
  nodes_[1].reset();
  train_to(line, done, 6);
  EXPECT_TRUE(same_values(*what.source, line.values(), plain_values(what, 6)));
  EXPECT_EQ(line.view().recoveries, 1U);
}

TEST_F(cluster_test, one_node_may_have_all_stages) {
  const auto what = mixed_case({3, 2, 7});
  nodes_.push_back(start_node(3));
  addresses_.push_back(nodes_.back()->address());
  cluster line(options(), line_of(what), pipeline_registry());
  std::int64_t done = 0;
  train_to(line, done, 2);
  EXPECT_TRUE(same_values(*what.source, line.values(), plain_values(what, 2)));
}

TEST_F(cluster_test, a_node_serves_one_run_after_the_other) {
  const auto what = mixed_case({2, 2, 7});
  start_nodes(2);
  for (int i = 0; i < 3; ++i) {
    cluster line(options(), line_of(what), pipeline_registry());
    std::int64_t done = 0;
    train_to(line, done, 1);
    EXPECT_TRUE(
      same_values(*what.source, line.values(), plain_values(what, 1)));
  }
}

TEST_F(cluster_test, says_how_a_node_is) {
  start_nodes(1);
  const auto status =
    query_status(addresses_[0], tls_, std::chrono::seconds(10));
  EXPECT_EQ(status.run, 0U);
  EXPECT_EQ(status.facts.devices, std::vector<std::string>{"cpu:0"});
}

} // namespace
} // namespace actorpipe::test
