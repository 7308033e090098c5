// SPDX-License-Identifier: Apache-2.0
/// Shapes and types: sizes, text forms, limits.
#include "compute/tensor/types.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace actorpipe {
namespace {

TEST(shape, counts_elements_and_rows) {
  const shape x{2, 3, 5};
  EXPECT_EQ(30, x.elements());
  EXPECT_EQ(6, x.rows());
  EXPECT_EQ(5, x.back());
  EXPECT_EQ(3U, x.rank());
}

TEST(shape, of_rank_zero_has_one_element) {
  EXPECT_EQ(1, shape{}.elements());
  EXPECT_EQ(1, shape{}.rows());
  EXPECT_EQ(1, shape{}.back());
}

TEST(shape, with_an_empty_extent_has_no_elements) {
  EXPECT_EQ(0, (shape{4, 0}).elements());
  EXPECT_EQ(4, (shape{4, 0}).rows());
}

TEST(shape, replaces_its_outermost_and_innermost_extent) {
  EXPECT_EQ((shape{7, 3}), (shape{2, 3}).with_front(7));
  EXPECT_EQ((shape{2, 7}), (shape{2, 3}).with_back(7));
}

TEST(shape, refuses_negative_extents_and_too_many) {
  EXPECT_THROW((shape{2, -1}), std::invalid_argument);
  EXPECT_THROW((shape{1, 1, 1, 1, 1, 1, 1}), std::invalid_argument);
}

TEST(shape, refuses_more_elements_than_can_be_counted) {
  const auto most = shape::max_elements;
  EXPECT_EQ((shape{most / 2, 2}).elements(), most);
  EXPECT_THROW((shape{most / 2, 3}), std::invalid_argument);
  // Their products are 0 in 64 bits.
  EXPECT_THROW((shape{std::int64_t{1} << 32, std::int64_t{1} << 32}),
               std::invalid_argument);
  EXPECT_THROW((shape{std::int64_t{1} << 32, std::int64_t{1} << 32, 0}),
               std::invalid_argument);
  EXPECT_THROW((shape{1, 3}).with_front(most / 2), std::invalid_argument);
  EXPECT_THROW((shape{3, 1}).with_back(most / 2), std::invalid_argument);
}

TEST(shape, refuses_to_replace_what_does_not_fit) {
  EXPECT_THROW((shape{2, 3}).with_front(-1), std::invalid_argument);
  EXPECT_THROW((shape{2, 3}).with_back(-1), std::invalid_argument);
  EXPECT_THROW(shape{}.with_front(1), std::invalid_argument);
  EXPECT_THROW(shape{}.with_back(1), std::invalid_argument);
}

TEST(types, print_as_they_are_written) {
  EXPECT_EQ("f32[4, 128]", to_string(tensor_type{dtype::f32, {4, 128}}));
  EXPECT_EQ("(u8[], i32[3])", to_string(std::vector<tensor_type>{
                                {dtype::u8, {}}, {dtype::i32, {3}}}));
}

TEST(types, know_their_bytes) {
  EXPECT_EQ(24, (tensor_type{dtype::f64, {3}}).size_bytes());
  EXPECT_EQ(12, (tensor_type{dtype::i32, {3}}).size_bytes());
  EXPECT_EQ(12, (tensor_type{dtype::f32, {3}}).size_bytes());
  EXPECT_EQ(3, (tensor_type{dtype::u8, {3}}).size_bytes());
}

} // namespace
} // namespace actorpipe
