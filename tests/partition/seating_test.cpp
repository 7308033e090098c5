// SPDX-License-Identifier: Apache-2.0
/// Which device of which node runs which stage.
#include "partition/seating.hpp"

#include <gtest/gtest.h>

namespace actorpipe {
namespace {

using seats = std::vector<seat>;

TEST(seating, fills_nodes_in_order_with_as_many_stages_as_devices) {
  EXPECT_EQ(seat_stages({4, {1, 2, 3}, {}, {}}),
            (seats{{0, 0}, {1, 0}, {1, 1}, {2, 0}}));
}

TEST(seating, says_when_there_is_no_room) {
  EXPECT_FALSE(seat_stages({4, {1, 2}, {}, {}}));
  EXPECT_FALSE(seat_stages({1, {}, {}, {}}));
}

TEST(seating, passes_over_nodes_that_are_not_there) {
  EXPECT_EQ(seat_stages({2, {0, 1, 0, 1}, {}, {}}), (seats{{1, 0}, {3, 0}}));
}

TEST(seating, follows_wishes_as_far_as_there_is_room) {
  EXPECT_EQ(seat_stages({3, {2, 2}, {1, 0, 1}, {}}),
            (seats{{1, 0}, {0, 0}, {1, 1}}));
  EXPECT_EQ(seat_stages({3, {2, 1}, {1, 1, 1}, {}}),
            (seats{{1, 0}, {0, 0}, {0, 1}}));
}

TEST(seating, moves_nothing_that_runs) {
  const seats present{{2, 0}, {0, 0}};
  EXPECT_EQ(seat_stages({2, {1, 1, 1}, {}, present}), present);
}

TEST(seating, gives_what_is_lost_to_a_node_without_stages_first) {
  // Node 1 has gone; node 0 has a second device, node 3 is a spare.
  EXPECT_EQ(seat_stages({3, {2, 0, 1, 1}, {}, {{0, 0}, {1, 0}, {2, 0}}}),
            (seats{{0, 0}, {3, 0}, {2, 0}}));
}

TEST(seating, gives_what_is_lost_to_a_free_device_otherwise) {
  EXPECT_EQ(seat_stages({3, {2, 0, 1}, {}, {{0, 0}, {1, 0}, {2, 0}}}),
            (seats{{0, 0}, {0, 1}, {2, 0}}));
}

TEST(seating, a_keeper_is_the_next_node_that_is_there) {
  const std::vector<std::uint32_t> devices{1, 0, 1, 1};
  EXPECT_EQ(choose_keepers(seats{{0, 0}, {2, 0}, {3, 0}}, devices, {}),
            (std::vector<std::uint32_t>{2, 3, 0}));
}

TEST(seating, a_keeper_that_has_a_replica_stays) {
  const std::vector<std::uint32_t> devices{1, 1, 1};
  const std::vector<std::vector<std::uint32_t>> holders{{2}, {1}, {}};
  EXPECT_EQ(choose_keepers(seats{{0, 0}, {1, 0}, {2, 0}}, devices, holders),
            (std::vector<std::uint32_t>{2, 2, 0}));
}

TEST(seating, a_single_node_has_no_keeper) {
  const std::vector<std::uint32_t> devices{2, 0};
  EXPECT_EQ(choose_keepers(seats{{0, 0}, {0, 1}}, devices, {}),
            (std::vector<std::uint32_t>{no_node, no_node}));
}

} // namespace
} // namespace actorpipe
