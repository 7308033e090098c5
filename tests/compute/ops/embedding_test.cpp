// SPDX-License-Identifier: Apache-2.0
/// The embedding: cpu against reference, and tokens without a row.
#include "op_check.hpp"

#include "compute/device/device.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace actorpipe::test {
namespace {

tensor_list forward(operations& ops, const tensor_list& x) {
  const auto& tokens = x[0];
  auto y = ops.make(
    {dtype::f32,
     {tokens.extents()[0], tokens.extents()[1], x[1].extents().back()}});
  ops.embedding_forward(y, tokens, x[1], x[2]);
  return {y};
}

tensor_list backward(operations& ops, const tensor_list& x) {
  auto d_table = ops.make(x[1].type());
  ops.fill(d_table, 1);
  tensor_list outputs{d_table};
  if (x[2].defined()) {
    outputs.push_back(ops.make(x[2].type()));
    ops.fill(outputs[1], 2);
  }
  ops.embedding_backward(d_table, x[2].defined() ? outputs[1] : tensor{}, x[3],
                         x[0]);
  return outputs;
}

/// tokens[3, T], table[11, C], positions[T + 2, C], d_y[3, T, C]
tensor_list inputs_of(std::int64_t sequence, std::int64_t columns) {
  return {random_integers({3, sequence}, 1, 11),
          random_values({11, columns}, 2),
          random_values({sequence + 2, columns}, 3),
          random_values({3, sequence, columns}, 4)};
}

const std::vector<shape> shapes{{1, 1}, {7, 13}, {40, 129}, {5, 300}};

TEST(embedding, forward_is_exact) {
  for (const auto& at : shapes)
    check_op(inputs_of(at[0], at[1]), forward, {});
}

TEST(embedding, backward_adds_each_row_in_the_order_of_the_tokens) {
  for (const auto& at : shapes)
    check_op(inputs_of(at[0], at[1]), backward, {});
}

TEST(embedding, goes_without_positions) {
  auto inputs = inputs_of(7, 13);
  inputs[2] = {};
  check_op(inputs, forward, {});
  check_op(inputs, backward, {});
}

TEST(embedding, takes_bytes_as_tokens) {
  auto inputs = inputs_of(2, 5);
  inputs[0] =
    tensor::from({3, 2}, std::vector<std::uint8_t>{0, 10, 3, 3, 9, 1});
  check_op(inputs, forward, {});
  check_op(inputs, backward, {});
}

TEST(embedding, names_a_token_without_a_row) {
  auto inputs = inputs_of(2, 5);
  inputs[0] =
    tensor::from({3, 2}, std::vector<std::int32_t>{0, 1, 2, 11, 4, 5});
  for (const auto& where :
       {make_reference_device("reference"), make_cpu_device("cpu", 2)}) {
    auto work = where->make_stream(nullptr);
    try {
      forward(work->ops(), inputs);
      FAIL() << "took token 11 on " << where->name();
    } catch (const std::out_of_range& error) {
      EXPECT_STREQ("token 11 of sample 1 at position 1 is not in [0, 11), the "
                   "rows of the embedding table",
                   error.what());
    }
  }
}

TEST(embedding, refuses_a_negative_token) {
  auto inputs = inputs_of(2, 5);
  inputs[0] =
    tensor::from({3, 2}, std::vector<std::int32_t>{0, 1, 2, -1, 4, 5});
  EXPECT_THROW(on_cpu(1, inputs, forward), std::out_of_range);
  EXPECT_THROW(on_reference(inputs, forward), std::out_of_range);
  EXPECT_THROW(on_cpu(1, inputs, backward), std::out_of_range);
}

} // namespace
} // namespace actorpipe::test
