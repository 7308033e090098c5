// SPDX-License-Identifier: Apache-2.0
/// Whoever knows the relay takes it for the actor behind it.
#include "actors/faults/control_relay.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <gtest/gtest.h>

namespace actorpipe {
namespace {

struct testing_config : caf::actor_system_config {
  testing_config() { set("scheduler.policy", caf::atom("testing")); }
};

class control_relay_test : public ::testing::Test {
protected:
  void settle() {
    dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler()).run();
  }

  // Asks the relay to double 4; 0 while there is no answer.
  int ask() {
    auto answer = std::make_shared<int>(0);
    const auto to = caf::actor_cast<caf::actor>(relay_);
    system_.spawn([=](caf::event_based_actor* self) {
      self->request(to, caf::infinite, 4)
        .then([=](int x) { *answer = x; }, [=](caf::error&) { *answer = -1; });
    });
    settle();
    return *answer;
  }

  testing_config config_;
  caf::actor_system system_{config_};
  bool loses_ = false;
  caf::actor doubling_ = system_.spawn(
    []() -> caf::behavior { return {[](int x) { return 2 * x; }}; });
  caf::strong_actor_ptr relay_ =
    relay_control(system_, caf::actor_cast<caf::strong_actor_ptr>(doubling_),
                  [this] { return loses_; });

  void TearDown() override {
    caf::anon_send_exit(doubling_, caf::exit_reason::user_shutdown);
    settle();
  }
};

TEST_F(control_relay_test, a_request_is_answered) {
  EXPECT_EQ(ask(), 8);
}

TEST_F(control_relay_test, a_lost_request_has_no_answer_and_no_error) {
  loses_ = true;
  EXPECT_EQ(ask(), 0);
  loses_ = false;
  EXPECT_EQ(ask(), 8);
}

TEST_F(control_relay_test, it_ends_with_the_one_behind_it_and_for_its_reason) {
  auto told = std::make_shared<caf::error>();
  const auto watching = [told,
                         this](caf::event_based_actor* self) -> caf::behavior {
    self->monitor(caf::actor_cast<caf::actor>(relay_));
    self->set_down_handler([=](const caf::down_msg& down) {
      *told = down.reason;
      self->quit();
    });
    return {[](caf::unit_t) {}};
  };
  const auto watcher = system_.spawn(watching);
  settle();
  EXPECT_FALSE(*told);
  caf::anon_send_exit(doubling_, caf::exit_reason::kill);
  settle();
  EXPECT_EQ(*told, caf::exit_reason::kill);
}

} // namespace
} // namespace actorpipe
