// SPDX-License-Identifier: Apache-2.0
/// Which version a run goes on from.
#include "partition/restoration.hpp"

#include <gtest/gtest.h>

namespace actorpipe {
namespace {

using cells = std::vector<cell_remains>;

TEST(restoration, is_the_present_version_when_all_have_it) {
  const auto how = choose_restoration(cells{{{7, 6}, {}}, {{7, 6}, {}}}, 7);
  EXPECT_EQ(how.version, 7);
  EXPECT_EQ(how.source_of_cell, (std::vector<std::uint32_t>{no_node, no_node}));
}

TEST(restoration, is_never_newer_than_what_was_committed) {
  // Both have made version 8; nobody was told that it is committed.
  EXPECT_EQ(choose_restoration(cells{{{8, 7}, {}}, {{8, 7}, {}}}, 7).version,
            7);
}

TEST(restoration, takes_a_lost_cell_from_its_replica) {
  const auto how =
    choose_restoration(cells{{{7, 6}, {}}, {{}, {{2, 6}, {2, 7}}}}, 7);
  EXPECT_EQ(how.version, 7);
  EXPECT_EQ(how.source_of_cell, (std::vector<std::uint32_t>{no_node, 2}));
}

TEST(restoration, goes_back_to_what_the_replica_has) {
  const auto how = choose_restoration(cells{{{7, 6}, {}}, {{}, {{2, 6}}}}, 7);
  EXPECT_EQ(how.version, 6);
  EXPECT_EQ(how.source_of_cell, (std::vector<std::uint32_t>{no_node, 2}));
}

TEST(restoration, prefers_what_the_owner_has_itself) {
  EXPECT_EQ(choose_restoration(cells{{{5}, {{1, 5}}}}, 5).source_of_cell,
            (std::vector<std::uint32_t>{no_node}));
}

TEST(restoration, begins_anew_when_a_cell_is_lost_altogether) {
  const auto how = choose_restoration(cells{{{7, 6}, {}}, {{}, {}}}, 7);
  EXPECT_EQ(how.version, 0);
  EXPECT_EQ(how.source_of_cell, (std::vector<std::uint32_t>{no_node, no_node}));
}

TEST(restoration, needs_one_version_that_all_have) {
  EXPECT_EQ(
    choose_restoration(cells{{{}, {{1, 4}, {1, 3}}}, {{}, {{0, 3}, {0, 2}}}}, 4)
      .version,
    3);
  EXPECT_EQ(
    choose_restoration(cells{{{}, {{1, 4}}}, {{}, {{0, 3}}}}, 4).version, 0);
}

} // namespace
} // namespace actorpipe
