// SPDX-License-Identifier: Apache-2.0
/// The node actor, without sockets.
#include "actors/cluster/node.hpp"

#include "compute/layers/model_spec_json.hpp"
#include "messages/type_ids.hpp"
#include "tests/support/line_options.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <gtest/gtest.h>

namespace actorpipe::test {
namespace {

/// Counts how often links were to be opened, and opens none.
class counting_office final : public post_office {
public:
  explicit counting_office(int& opened) : opened_(opened) {}

  std::uint16_t port() const override { return 1; }
  void report_to(events) override {}
  void expect(const mail_route&) override {}
  void open() override { ++opened_; }
  caf::strong_actor_ptr to(std::uint32_t) override { return nullptr; }
  void close() override {}

private:
  int& opened_;
};

class node_test : public ::testing::Test {
protected:
  node_test() : system_(config_), self_(system_) {
    auto around = std::make_shared<node_environment>();
    around->facts.devices = {"cpu:0"};
    around->how.registry = pipeline_registry();
    around->how.make_device = [](std::uint32_t, std::size_t) {
      return make_reference_device("device");
    };
    around->how.detached = false;
    around->how.now_ns = around->now_ns = [] { return std::int64_t{0}; };
    around->office = std::make_unique<counting_office>(opened_);
    node_ = system_.spawn(make_node, around);
  }

  ~node_test() override {
    self_->send_exit(node_, caf::exit_reason::user_shutdown);
    self_->wait_for(node_);
  }

  template <class Answer, class Request>
  Answer ask(const Request& what) {
    Answer result;
    self_->request(node_, caf::infinite, what)
      .receive([&](Answer& x) { result = std::move(x); },
               [](const caf::error& why) { FAIL() << to_string(why); });
    return result;
  }

  host placed(std::uint64_t attempt) const {
    line_case line;
    line.source = build_model(mixed_model(), pipeline_registry());
    line.how.cells = 1;
    line.like = perceptron_batch(1);
    const auto options = options_of(line);
    host result{run, session, attempt, {}, {}, nullptr};
    result.what.run = run;
    result.what.model = to_json(line.source->spec());
    result.what.how = options.how;
    result.what.threads_per_stage = 1;
    result.where = {{0}, {0}, {trainer_process}, {trainer_process}, {}};
    return result;
  }

  static constexpr std::uint64_t run = 5;
  static constexpr std::uint64_t session = 1;
  int opened_ = 0;
  configured config_;
  caf::actor_system system_;
  caf::scoped_actor self_;
  node_actor node_;
};

TEST_F(node_test, opens_the_links_of_each_attempt_though_some_never_come) {
  ask<joined>(actorpipe::join{run, session, 0, "test", 1'000'000'000'000});
  for (std::uint64_t attempt = 1; attempt <= 2; ++attempt) {
    EXPECT_EQ(ask<hosted>(placed(attempt)).failure, "");
    self_->send(node_, open_links{run, session, attempt});
    self_->send(node_, open_links{run, session, attempt}); // repeated
    ask<node_status>(get_status{});
    EXPECT_EQ(opened_, static_cast<int>(attempt));
  }
}

} // namespace
} // namespace actorpipe::test
