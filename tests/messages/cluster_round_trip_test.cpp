// SPDX-License-Identifier: Apache-2.0
/// Every message between the supervisor and the nodes arrives with every field.
#include "tests/messages/cluster_samples.hpp"
#include "tests/messages/wire.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>
#include <caf/scoped_actor.hpp>

#include <type_traits>

namespace actorpipe::test {
namespace {

using cluster_round_trip_test = wire_test;

TEST_F(cluster_round_trip_test, every_message_survives) {
  for_each_cluster_message([&](const auto& x) {
    const auto first = encoded(x);
    std::decay_t<decltype(x)> y;
    ASSERT_FALSE(decode(first, y)) << caf::deep_to_string(x);
    EXPECT_EQ(encoded(y), first) << caf::deep_to_string(x);
    EXPECT_EQ(caf::deep_to_string(y), caf::deep_to_string(x));
  });
}

TEST_F(cluster_round_trip_test, every_message_survives_inside_a_message) {
  for_each_cluster_message([&](const auto& x) {
    using type = std::decay_t<decltype(x)>;
    caf::message y;
    ASSERT_FALSE(decode(encoded(caf::make_message(x)), y));
    ASSERT_TRUE(y.match_elements<type>());
    EXPECT_EQ(encoded(y.get_as<type>(0)), encoded(x));
  });
}

TEST_F(cluster_round_trip_test, actors_survive) {
  caf::scoped_actor a{system_}, b{system_};
  const auto handle = [](const caf::scoped_actor& x) {
    return caf::actor_cast<caf::strong_actor_ptr>(x);
  };
  host x;
  x.scheduler = handle(a);
  host y;
  ASSERT_FALSE(decode(encoded(x), y));
  EXPECT_EQ(y.scheduler, x.scheduler);

  hosted u;
  u.stage_actors = {handle(a), nullptr, handle(b)};
  u.parameter_actors = {handle(b)};
  u.keeper = handle(a);
  hosted v;
  ASSERT_FALSE(decode(encoded(u), v));
  EXPECT_EQ(v.stage_actors, u.stage_actors);
  EXPECT_EQ(v.parameter_actors, u.parameter_actors);
  EXPECT_EQ(v.keeper, u.keeper);

  connected r;
  r.node = handle(b);
  connected s;
  ASSERT_FALSE(decode(encoded(r), s));
  EXPECT_EQ(s.node, r.node);
}

} // namespace
} // namespace actorpipe::test
