// SPDX-License-Identifier: Apache-2.0
/// Cutting of mini-batches.
#include "compute/data/batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace actorpipe::test {

namespace {

std::vector<std::int64_t> sizes(std::int64_t samples, std::int64_t m) {
  std::vector<std::int64_t> result;
  for (const auto& range : cut_batch(samples, m))
    result.push_back(range.end - range.begin);
  return result;
}

using list = std::vector<std::int64_t>;

} // namespace

TEST(cut_batch, makes_equal_parts_where_it_can) {
  EXPECT_EQ(sizes(8, 4), (list{2, 2, 2, 2}));
  EXPECT_EQ(sizes(8, 1), (list{8}));
}

TEST(cut_batch, makes_the_larger_parts_first) {
  EXPECT_EQ(sizes(8, 3), (list{3, 3, 2}));
  EXPECT_EQ(sizes(11, 4), (list{3, 3, 3, 2}));
}

TEST(cut_batch, makes_no_more_parts_than_samples) {
  EXPECT_EQ(sizes(3, 5), (list{1, 1, 1}));
}

TEST(cut_batch, covers_every_sample_once_in_order) {
  for (std::int64_t samples = 1; samples <= 12; ++samples)
    for (std::int64_t m = 1; m <= 14; ++m) {
      std::int64_t next = 0;
      for (const auto& range : cut_batch(samples, m)) {
        EXPECT_EQ(range.begin, next);
        next = range.end;
      }
      EXPECT_EQ(next, samples);
      const auto got = sizes(samples, m);
      EXPECT_LE(*std::max_element(got.begin(), got.end())
                  - *std::min_element(got.begin(), got.end()),
                1);
    }
}

TEST(cut_batch, refuses_no_samples_and_no_parts) {
  EXPECT_THROW(cut_batch(0, 1), std::invalid_argument);
  EXPECT_THROW(cut_batch(1, 0), std::invalid_argument);
}

TEST(slice, takes_the_same_samples_of_inputs_and_targets) {
  const batch whole{
    {tensor::from({3, 2}, std::vector<float>{0, 1, 2, 3, 4, 5})},
    tensor::from({3}, std::vector<std::int32_t>{7, 8, 9})};
  const auto part = slice(whole, {1, 3});
  EXPECT_EQ(part.samples(), 2);
  EXPECT_EQ(part.inputs.at(0).data<float>()[0], 2);
  EXPECT_EQ(part.targets.data<std::int32_t>()[1], 9);
  EXPECT_THROW(slice(whole, {2, 4}), std::out_of_range);
}

TEST(slice, of_a_batch_without_targets_has_none) {
  const batch whole{{tensor::from({2}, std::vector<float>{0, 1})}, {}};
  EXPECT_FALSE(slice(whole, {0, 1}).targets.defined());
}

} // namespace actorpipe::test
