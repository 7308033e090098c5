// SPDX-License-Identifier: Apache-2.0
/// Nodes that cannot take part, and what is said of them.
#include "tests/faults/fault_bench.hpp"

#include "actors/cluster/node.hpp"
#include "actors/control/control.hpp"
#include "actors/control/control_config.hpp"
#include "compute/model/numerics_fingerprint.hpp"
#include "messages/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>

namespace actorpipe::test {
namespace {

class no_links final : public post_office {
public:
  std::uint16_t port() const override { return 1; }
  void report_to(events) override {}
  void expect(const mail_route&) override {}
  void open() override {}
  caf::strong_actor_ptr to(std::uint32_t) override { return nullptr; }
  void close() override {}
};

/// A node of this process that says of itself what it is told to.
class pretender {
public:
  pretender(const tls_files& tls, std::uint32_t protocol)
    : config_(tls, std::chrono::seconds(1)), system_(config_) {
    auto around = std::make_shared<node_environment>();
    around->facts.protocol = protocol;
    around->facts.software = "actorpipe 0.0.1";
    around->facts.devices = {"cpu:0"};
    around->now_ns = [] { return std::int64_t{0}; };
    around->office = std::make_unique<no_links>();
    node_ = system_.spawn(make_node, around);
    port_ = publish_control(
      system_, caf::actor_cast<caf::strong_actor_ptr>(node_), {"127.0.0.1", 0});
  }

  ~pretender() {
    caf::scoped_actor self{system_};
    self->send_exit(node_, caf::exit_reason::user_shutdown);
    self->wait_for(node_);
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

private:
  control_config config_;
  caf::actor_system system_;
  node_actor node_;
  std::uint16_t port_ = 0;
};

class refusals_test : public fault_bench {
protected:
  cluster_options hasty() {
    auto result = options();
    result.wait_for_node = std::chrono::milliseconds(500);
    return result;
  }
};

TEST_F(refusals_test, a_node_that_is_not_there) {
  add_nodes(2);
  nodes_[1]->kill();
  const auto why = refusal(quick_work(2), hasty());
  EXPECT_TRUE(holds(why, "2 stages need as many devices"));
  EXPECT_TRUE(holds(why, "node " + nodes_[0]->address() + ": 1 devices"));
  EXPECT_TRUE(holds(why, "node " + nodes_[1]->address() + ": "));
  EXPECT_TRUE(holds(why, "refused"));
}

TEST_F(refusals_test, a_node_that_answers_nothing) {
  add_nodes(2);
  nodes_[1]->signal(SIGSTOP);
  const auto why = refusal(quick_work(2), hasty());
  EXPECT_TRUE(holds(why, "node " + nodes_[1]->address() + ": "));
}

TEST_F(refusals_test, a_node_whose_operations_give_other_bits) {
  node_program_options other;
  other.environment = {"DNNL_MAX_CPU_ISA=SSE41", "ONEDNN_MAX_CPU_ISA=SSE41"};
  add_node();
  add_node(other);
  const auto one =
    query_status(nodes_[0]->address(), tls_, std::chrono::seconds(10));
  const auto two =
    query_status(nodes_[1]->address(), tls_, std::chrono::seconds(10));
  if (one.facts.fingerprint == two.facts.fingerprint)
    GTEST_SKIP() << "SSE4.1 gives the same bits on this machine";
  const auto why = refusal(quick_work(2), options());
  EXPECT_TRUE(holds(why, "has the numerics fingerprint "));
  EXPECT_TRUE(holds(why, one.facts.fingerprint));
  EXPECT_TRUE(holds(why, two.facts.fingerprint));
  EXPECT_TRUE(holds(why, "--allow-different-bits"));
}

TEST_F(refusals_test, a_node_with_another_fingerprint_when_that_is_accepted) {
  node_program_options other;
  other.environment = {"DNNL_MAX_CPU_ISA=SSE41", "ONEDNN_MAX_CPU_ISA=SSE41"};
  add_node();
  add_node(other);
  auto how = options();
  how.allows_different_bits = true;
  const auto& what = quick_work(2);
  const auto line = make_line(what, how);
  train_to(*line, what, 5);
  EXPECT_EQ(line->view().version, 5);
}

TEST_F(refusals_test, a_node_of_another_version) {
  const pretender other(tls_, protocol_version + 1);
  auto how = options();
  how.nodes = {other.address()};
  const auto why = refusal(quick_work(1), how);
  EXPECT_TRUE(holds(why, "node " + other.address() + " has the protocol "
                           + std::to_string(protocol_version + 1)));
  EXPECT_TRUE(holds(why, "it is actorpipe 0.0.1"));
}

TEST_F(refusals_test, a_node_with_other_layers) {
  add_nodes(1);
  auto line = options_of(quick_work(1).line);
  line.devices.clear();
  try {
    const cluster refused(options(), line, pipeline_registry());
    FAIL() << "it was accepted";
  } catch (const cluster_error& error) {
    EXPECT_TRUE(holds(error.what(), "has the layer registry "));
    EXPECT_TRUE(holds(error.what(), "give both the same plugins"));
  }
}

TEST_F(refusals_test, a_node_of_another_authority) {
  const one_run_authority other;
  add_nodes(1);
  auto how = hasty();
  how.tls = other.make("stranger");
  const auto why = refusal(quick_work(1), how);
  EXPECT_TRUE(holds(why, "certificate"));
}

} // namespace
} // namespace actorpipe::test
