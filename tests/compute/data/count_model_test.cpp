// SPDX-License-Identifier: Apache-2.0
/// What counting predicts.
#include "compute/data/count_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace actorpipe {

namespace {

count_model model_of(const std::string& text) {
  return count_model(std::vector<text_document>{{"t", text}});
}

// Too short for a last tenth: the weights are all 1.
TEST(count_model, interpolates_as_written) {
  const auto model = model_of("ababac");
  const double order0_a = (3 + 3 / 256.0) / (6 + 3);
  EXPECT_NEAR(model.probability("", 'a'), order0_a, 1e-12);
  // 'b' is followed by 'a' twice and by nothing else.
  const double order1_a = (2 + order0_a) / (2 + 1);
  EXPECT_NEAR(model.probability("b", 'a'), order1_a, 1e-12);
  // "ab" too.
  EXPECT_NEAR(model.probability("ab", 'a'), (2 + order1_a) / (2 + 1), 1e-12);
  // "xb" was never seen, 'b' was.
  EXPECT_NEAR(model.probability("xb", 'a'), order1_a, 1e-12);
  EXPECT_NEAR(model.probability("yx", 'a'), order0_a, 1e-12);
}

TEST(count_model, gives_probabilities_that_add_up_to_one) {
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += static_cast<char>(i * i % 251);
  const auto model = model_of(text);
  for (const auto* context : {"", "a", "ab", "\xff\x01", "zz"}) {
    double sum = 0;
    for (int next = 0; next < 256; ++next)
      sum += model.probability(context, static_cast<unsigned char>(next));
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST(count_model, uses_two_bytes_of_context_and_no_more) {
  const auto model = model_of("the cat, the dog, the end, the");
  EXPECT_EQ(model.probability("the", ' '), model.probability("xhe", ' '));
  EXPECT_NE(model.probability("he", ' '), model.probability("xe", ' '));
}

TEST(count_model, averages_over_all_bytes_but_the_first_of_a_document) {
  const auto model = model_of("ababac");
  const double expected = -(std::log(model.probability("a", 'b'))
                            + std::log(model.probability("ab", 'c'))
                            + std::log(model.probability("x", 'a')))
                        / 3;
  EXPECT_NEAR(model.mean_nats({{"h", "abc"}, {"i", "xa"}, {"j", "q"}}),
              expected, 1e-12);
}

TEST(count_model, is_uniform_without_text) {
  EXPECT_NEAR(
    count_model(std::vector<text_document>()).mean_nats({{"h", "some text"}}),
    std::log(256.0), 1e-12);
}

TEST(count_model, has_its_weights_chosen_on_training_text) {
  // One byte of context tells all that follows, in the last tenth too, so the
  // least smoothing is the best.
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += "abcd";
  const double order0_c = (100 + 4 / 256.0) / (400 + 4);
  const double order1_c = (100 + 0.125 * order0_c) / (100 + 0.125);
  const double order2_c = (100 + 0.125 * order1_c) / (100 + 0.125);
  EXPECT_NEAR(model_of(text).probability("ab", 'c'), order2_c, 1e-12);
}

} // namespace

} // namespace actorpipe
