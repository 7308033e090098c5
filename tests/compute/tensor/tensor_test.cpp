// SPDX-License-Identifier: Apache-2.0
/// Tensors: values, views, shapes.
#include "compute/tensor/tensor.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace actorpipe {
namespace {

const std::vector<float> six{1, 2, 3, 4, 5, 6};

TEST(tensor, an_empty_handle_is_not_defined) {
  const tensor x;
  EXPECT_FALSE(x.defined());
  EXPECT_EQ(nullptr, x.bytes());
}

TEST(tensor, holds_the_values_it_was_made_from) {
  const auto x = tensor::from({2, 3}, six);
  EXPECT_EQ(six, std::vector<float>(x.data<float>(), x.data<float>() + 6));
  EXPECT_EQ("f32[2, 3]", to_string(x.type()));
}

TEST(tensor, takes_the_type_of_its_values) {
  EXPECT_EQ(dtype::f64, tensor::from({1}, std::vector<double>{1}).element());
  EXPECT_EQ(dtype::i32,
            tensor::from({1}, std::vector<std::int32_t>{1}).element());
  EXPECT_EQ(dtype::u8,
            tensor::from({1}, std::vector<std::uint8_t>{1}).element());
}

TEST(tensor, refuses_a_number_of_values_that_is_not_the_shape_s) {
  EXPECT_THROW(tensor::from({2, 2}, six), std::invalid_argument);
}

TEST(tensor, zeros_are_zero) {
  const auto x = tensor::zeros({dtype::i32, {3}});
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(0, x.data<std::int32_t>()[i]);
}

TEST(tensor, rows_share_memory) {
  auto x = tensor::from({3, 2}, six);
  auto last = x.rows(2, 3);
  EXPECT_EQ((shape{1, 2}), last.extents());
  EXPECT_EQ(5, last.data<float>()[0]);
  last.data<float>()[1] = 60;
  EXPECT_EQ(60, x.data<float>()[5]);
}

TEST(tensor, rows_of_rows_count_from_the_view) {
  const auto x = tensor::from({6}, six).rows(1, 5).rows(2, 4);
  EXPECT_EQ(4, x.data<float>()[0]);
  EXPECT_EQ(2, x.elements());
}

TEST(tensor, may_have_no_rows) {
  const auto x = tensor::from({3, 2}, six);
  EXPECT_EQ(0, x.rows(3, 3).elements());
  EXPECT_EQ(0, tensor::zeros({dtype::f32, {0, 2}}).rows(0, 0).elements());
}

TEST(tensor, refuses_rows_that_it_does_not_have) {
  const auto x = tensor::from({3, 2}, six);
  EXPECT_THROW(x.rows(0, 4), std::out_of_range);
  EXPECT_THROW(x.rows(-1, 2), std::out_of_range);
  EXPECT_THROW(x.rows(2, 1), std::out_of_range);
  EXPECT_THROW(tensor::from({}, std::vector<float>{1}).rows(0, 1),
               std::out_of_range);
}

TEST(tensor, keeps_its_values_under_another_shape) {
  auto x = tensor::from({2, 3}, six);
  const auto flat = x.reshaped({6});
  x.data<float>()[4] = 50;
  EXPECT_EQ(50, flat.data<float>()[4]);
  EXPECT_THROW(x.reshaped({5}), std::invalid_argument);
}

TEST(tensor, outlives_its_allocator_s_other_owners) {
  auto pool = make_pooled_host_allocator();
  auto x = tensor::make({dtype::f32, {4}}, pool, nullptr);
  pool.reset();
  x.data<float>()[3] = 1;
  EXPECT_EQ(1, x.rows(3, 4).data<float>()[0]);
}

TEST(tensor, lists_their_types_in_order) {
  EXPECT_EQ("(f32[6], i32[1])",
            to_string(types_of(
              {tensor::from({6}, six), tensor::zeros({dtype::i32, {1}})})));
}

} // namespace
} // namespace actorpipe
