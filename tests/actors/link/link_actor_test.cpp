// SPDX-License-Identifier: Apache-2.0
/// Messages of actors go over a link and reach the right actor.
#include "actors/link/link_actor.hpp"

#include "messages/actor_types.hpp"
#include "messages/configure.hpp"
#include "messages/type_ids.hpp"
#include "tests/actors/link/link_bench.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <gtest/gtest.h>

namespace actorpipe::test {

namespace {

/// Two stages with cell 0 and cells 1 and 2: the feed brings edge 0 to cell 0
/// and edge 3, the targets, to cell 2.
std::shared_ptr<const plan> small_plan() {
  auto result = std::make_shared<plan>();
  result->cut = {0, 1, 2, 3};
  result->device_of_cell = {0, 1, 1};
  result->edges.resize(4);
  result->edges[0].to = 0;
  result->edges[1].from = 0;
  result->edges[1].to = 1;
  result->edges[2].from = 1;
  result->edges[2].to = 2;
  result->edges[3].to = 2;
  result->programs.resize(2);
  return result;
}

class link_actor_test : public testing::Test {
protected:
  link_actor_test() { here_.how = small_plan(); }

  /// An actor that says its name for every data message.
  caf::strong_actor_ptr recorder(const std::string& name) {
    const auto said = [this, name](const auto& head) {
      {
        const std::lock_guard guard(lock_);
        names_.push_back(name);
      }
      heard_.add(make_message(head));
    };
    const auto given = [said](const auto& head, const payload&) { said(head); };
    const auto made = system_.spawn([=]() -> caf::behavior {
      return {
        [given](const edge_data& x, const payload& y) { given(x, y); },
        [given](const accumulated& x, const payload& y) { given(x, y); },
        [given](const weights& x, const payload& y) { given(x, y); },
        [given](const shard& x, const payload& y) { given(x, y); },
        [said](const credit& x) { said(x); },
        [said](const fetch& x) { said(x); },
      };
    });
    return caf::actor_cast<caf::strong_actor_ptr>(made);
  }

  void host_everything() {
    here_.scheduler = recorder("scheduler");
    here_.keeper = recorder("keeper");
    here_.stages = {recorder("stage 0"), recorder("stage 1")};
    here_.parameters = {recorder("parameter 0"), recorder("parameter 1"),
                        recorder("parameter 2")};
  }

  /// Who gets the message.
  std::string recipient(const link_header& head) {
    const auto fault = deliver(make_message(head), here_);
    if (!fault.empty())
      return fault;
    heard_.await_messages(1);
    const std::lock_guard guard(lock_);
    return names_.back();
  }

  struct configured : caf::actor_system_config {
    configured() { configure(*this); }
  } config_;
  heard heard_;
  std::mutex lock_;
  std::vector<std::string> names_;
  caf::actor_system system_{config_};
  local_actors here_; ///< released before the system, which awaits the actors
};

TEST_F(link_actor_test, everything_finds_its_recipient) {
  host_everything();
  EXPECT_EQ(recipient(edge_data{{}, 0, 0, false}), "stage 0");
  EXPECT_EQ(recipient(edge_data{{}, 0, 1, false}), "stage 1");
  EXPECT_EQ(recipient(edge_data{{}, 0, 1, true}), "stage 0");
  EXPECT_EQ(recipient(edge_data{{}, 0, 3, false}), "stage 1");
  EXPECT_EQ(recipient(credit{{}, 0, 0, false}), "scheduler");
  EXPECT_EQ(recipient(credit{{}, 0, 3, false}), "scheduler");
  EXPECT_EQ(recipient(credit{{}, 0, 1, false}), "stage 0");
  EXPECT_EQ(recipient(credit{{}, 0, 1, true}), "stage 1");
  EXPECT_EQ(recipient(accumulated{{}, 0, 2, 1}), "parameter 2");
  EXPECT_EQ(recipient(weights{0, 0, 0, 0, 0, 2}), "stage 1");
  EXPECT_EQ(recipient(shard{{}, shard_purpose::collect, 1, 0}), "scheduler");
  EXPECT_EQ(recipient(shard{{}, shard_purpose::install, 1, 0}), "parameter 1");
  EXPECT_EQ(recipient(shard{{}, shard_purpose::restore, 2, 0}), "parameter 2");
  EXPECT_EQ(recipient(shard{{}, shard_purpose::replica, 1, 0}), "keeper");
  EXPECT_EQ(recipient(fetch{{}, 1, 0}), "keeper");
}

TEST_F(link_actor_test, what_is_for_nobody_is_said) {
  EXPECT_EQ(recipient(edge_data{{}, 4, 1, false}),
            "the tensor of micro-batch 4 over edge 1 is for nobody in this "
            "process");
  for (const link_header& head :
       {link_header(edge_data{{}, 0, 4, false}),
        link_header(edge_data{{}, 0, 0, true}),
        link_header(credit{{}, 0, 4, false}),
        link_header(credit{{}, 0, 0, false}),
        link_header(accumulated{{}, 0, 9, 1}),
        link_header(weights{0, 0, 0, 0, 0, 9}),
        link_header(shard{{}, shard_purpose::replica, 0, 0}),
        link_header(shard{{}, shard_purpose::install, 9, 0}),
        link_header(fetch{{}, 0, 0})})
    EXPECT_NE(deliver(make_message(head), here_), "");
}

TEST_F(link_actor_test, an_actor_stands_for_the_other_side) {
  auto ends = connect();
  link_receiver receiver(std::move(ends.taken),
                         {std::make_shared<sample_contract>(all_kinds()),
                          make_pooled_allocation(nullptr),
                          [this](link_message x) { heard_.add(std::move(x)); },
                          {}});
  const auto actor =
    spawn_link_actor(system_, std::make_shared<link_sender>(
                                std::move(ends.dialed), link_sender_options{}));
  caf::scoped_actor self{system_};
  for (const auto& x : all_kinds()) {
    std::visit(
      [&](const auto& head) {
        using kind = std::decay_t<decltype(head)>;
        if constexpr (std::is_same_v<kind,
                                     credit> || std::is_same_v<kind, fetch>)
          self->send(actor, head);
        else
          self->send(actor, head, x.data);
      },
      x.head);
    expect_same(x, heard_.await_messages(1)[0]);
  }
  // The handle stands for actors of the types that others send to.
  const auto stage = caf::actor_cast<stage_actor>(actor);
  self->send(stage, credit{link_id(), 4, 3, true});
  EXPECT_EQ(heard_.await_messages(1)[0].head.index(), 1U);
  self->send_exit(actor, caf::exit_reason::user_shutdown);
  self->wait_for(actor);
}

} // namespace

} // namespace actorpipe::test
