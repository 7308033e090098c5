// SPDX-License-Identifier: Apache-2.0
/// Credits are counted, tensors are kept once, and nothing grows beyond the
/// bound.
#include "actors/edge_traffic.hpp"

#include <gtest/gtest.h>

namespace actorpipe {
namespace {

using arrival = edge_traffic::arrival;

class edge_traffic_test : public ::testing::Test {
protected:
  edge_traffic_test() {
    std::vector<edge> edges(2);
    edges[0].credits = 2;
    edges[1].credits = 1;
    traffic_.reset(edges);
  }

  arrival accept(std::uint32_t edge, std::uint32_t micro_batch,
                 bool gradient = false) {
    return traffic_.accept({{}, micro_batch, edge, gradient},
                           {{tensor::zeros({})}, {}});
  }

  bool credit_for(std::uint32_t edge, std::uint32_t micro_batch,
                  bool gradient = false) {
    return traffic_.note_credit({{}, micro_batch, edge, gradient});
  }

  edge_traffic traffic_;
};

TEST_F(edge_traffic_test, a_tensor_is_kept_until_it_is_taken) {
  EXPECT_FALSE(traffic_.has_arrived(0, false, 5));
  EXPECT_EQ(accept(0, 5), arrival::kept);
  EXPECT_TRUE(traffic_.has_arrived(0, false, 5));
  EXPECT_FALSE(traffic_.has_arrived(0, true, 5));
  EXPECT_EQ(traffic_.take(0, false, 5).tensors.size(), 1U);
  EXPECT_FALSE(traffic_.has_arrived(0, false, 5));
}

TEST_F(edge_traffic_test, what_was_here_before_is_repeated) {
  accept(0, 5);
  EXPECT_EQ(accept(0, 5), arrival::repeated);
  traffic_.take(0, false, 5);
  EXPECT_EQ(accept(0, 5), arrival::repeated);
  EXPECT_EQ(accept(0, 5, true), arrival::kept);
}

TEST_F(edge_traffic_test, more_than_the_credits_is_beyond_the_bound) {
  accept(0, 0);
  accept(0, 1);
  EXPECT_EQ(accept(0, 2), arrival::beyond_bound);
  EXPECT_FALSE(traffic_.has_arrived(0, false, 2));
  traffic_.take(0, false, 0);
  EXPECT_EQ(accept(0, 2), arrival::kept);
}

TEST_F(edge_traffic_test, an_edge_that_is_not_there_is_unknown) {
  EXPECT_EQ(accept(2, 0), arrival::unknown);
  EXPECT_FALSE(traffic_.may_send(2, false));
  EXPECT_FALSE(credit_for(2, 0));
}

TEST_F(edge_traffic_test, a_credit_is_for_one_direction) {
  traffic_.note_sent(1, false, 0);
  EXPECT_FALSE(traffic_.may_send(1, false));
  EXPECT_TRUE(traffic_.may_send(1, true));
  EXPECT_FALSE(credit_for(1, 0, true));
  EXPECT_TRUE(credit_for(1, 0));
  EXPECT_TRUE(traffic_.may_send(1, false));
}

TEST_F(edge_traffic_test, a_repeated_credit_counts_once) {
  traffic_.note_sent(1, false, 0);
  EXPECT_TRUE(credit_for(1, 0));
  traffic_.note_sent(1, false, 1);
  EXPECT_TRUE(credit_for(1, 0));
  EXPECT_FALSE(traffic_.may_send(1, false));
}

TEST_F(edge_traffic_test, a_credit_for_what_was_not_sent_is_none) {
  EXPECT_FALSE(credit_for(0, 0));
  traffic_.note_sent(0, false, 0);
  EXPECT_FALSE(credit_for(0, 1));
}

TEST_F(edge_traffic_test, a_reset_forgets_everything) {
  accept(0, 0);
  traffic_.note_sent(1, false, 0);
  traffic_.reset(std::vector<edge>(2));
  EXPECT_FALSE(traffic_.has_arrived(0, false, 0));
  EXPECT_EQ(accept(0, 0), arrival::kept);
  EXPECT_TRUE(traffic_.may_send(1, false));
  EXPECT_FALSE(credit_for(1, 0));
}

} // namespace
} // namespace actorpipe
