// SPDX-License-Identifier: Apache-2.0
/// Inputs and targets leave in the order of the forwards, within the credits.
#include "actors/feed.hpp"
#include "tests/support/pipeline_models.hpp"
#include "tests/support/text.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {
namespace {

class feed_test : public ::testing::Test {
protected:
  // Edges: 0 inputs, 1 from cell 0 to cell 1, 2 targets.
  feed make(const std::vector<program>& programs) {
    std::vector<batch> parts;
    for (const auto& range : cut_batch(5, 3))
      parts.push_back(slice(data_, range));
    return {plan_, programs, std::move(parts), id_};
  }

  // Such as "0:2 " for micro-batch 2 over edge 0.
  static std::string ready(feed& x) {
    std::string result;
    for (const auto& item : x.take_ready())
      result += text(item.header.edge, ":", item.header.micro_batch, " ");
    return result;
  }

  credit back(std::uint32_t edge, std::uint32_t micro_batch) const {
    return {id_, micro_batch, edge, false};
  }

  work_id id_{1, 2, 3};
  batch data_ = perceptron_batch(5);
  std::shared_ptr<const model> source_ =
    build_model(perceptron_with_state(), pipeline_registry());
  plan plan_ = plan_for(*source_, data_, {2, 3, 5});
};

TEST_F(feed_test, sends_as_many_as_there_are_credits) {
  auto x = make(plan_.programs);
  EXPECT_EQ(ready(x), "0:0 0:1 2:0 2:1 ");
  EXPECT_EQ(ready(x), "");
}

TEST_F(feed_test, a_credit_lets_one_more_go) {
  auto x = make(plan_.programs);
  ready(x);
  EXPECT_TRUE(x.note_credit(back(0, 0)));
  EXPECT_EQ(ready(x), "0:2 ");
  EXPECT_TRUE(x.note_credit(back(0, 1)));
  EXPECT_EQ(ready(x), "");
}

TEST_F(feed_test, a_repeated_or_foreign_credit_counts_nothing) {
  auto x = make(plan_.programs);
  EXPECT_FALSE(x.note_credit(back(0, 0)));
  ready(x);
  EXPECT_TRUE(x.note_credit(back(0, 1)));
  EXPECT_FALSE(x.note_credit(back(0, 1)));
  EXPECT_FALSE(x.note_credit(back(0, 7)));
  EXPECT_FALSE(x.note_credit(back(1, 0)));
  EXPECT_EQ(ready(x), "0:2 ");
}

TEST_F(feed_test, follows_the_order_of_the_receivers_forwards) {
  auto x = make({*parse_program("0F2 0F0 0F1"), *parse_program("1F1 1F2 1F0")});
  EXPECT_EQ(ready(x), "0:2 0:0 2:1 2:2 ");
}

TEST_F(feed_test, hands_out_the_right_samples) {
  auto x = make(plan_.programs);
  const auto items = x.take_ready();
  EXPECT_EQ(items[1].cell, 0U);
  EXPECT_EQ(items[1].header.id, id_);
  EXPECT_TRUE(same_bits(items[1].data.tensors[0], data_.inputs[0].rows(2, 4)));
  EXPECT_EQ(items[3].cell, 1U);
  EXPECT_TRUE(same_bits(items[3].data.tensors[0], data_.targets.rows(2, 4)));
}

} // namespace
} // namespace actorpipe::test
