// SPDX-License-Identifier: Apache-2.0
/// The matrix product: cpu against reference in every form.
#include "op_check.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {
namespace {

struct extents {
  std::int64_t rows;
  std::int64_t inner;
  std::int64_t columns;
};

const std::vector<extents> all_extents{
  {1, 1, 1},    {7, 13, 5},     {13, 129, 7}, {257, 7, 300},
  {129, 64, 1}, {300, 31, 257}, {5, 0, 3},    {0, 4, 4}};

tensor stored(std::int64_t rows, std::int64_t columns, bool transposed,
              std::uint64_t seed) {
  return random_values(transposed ? shape{columns, rows} : shape{rows, columns},
                       seed);
}

TEST(matmul, matches_the_reference_for_all_transpositions) {
  for (const auto& [n, i, o] : all_extents)
    for (const bool transpose_a : {false, true})
      for (const bool transpose_b : {false, true})
        check_op({stored(n, i, transpose_a, 1), stored(i, o, transpose_b, 2)},
                 [&, n = n, o = o](operations& ops, const tensor_list& x) {
                   auto y = ops.make({dtype::f32, {n, o}});
                   matmul_args args;
                   args.a = x[0];
                   args.b = x[1];
                   args.y = y;
                   args.transpose_a = transpose_a;
                   args.transpose_b = transpose_b;
                   ops.matmul(args);
                   return tensor_list{y};
                 },
                 {1e-5, 1e-5});
}

TEST(matmul, adds_to_the_result_where_told) {
  for (const auto& [n, i, o] : all_extents)
    check_op(
      {stored(n, i, true, 1), stored(i, o, false, 2), random_values({n, o}, 3)},
      [](operations& ops, const tensor_list& x) {
        auto y = ops.make(x[2].type());
        ops.copy(y, x[2]);
        matmul_args args;
        args.a = x[0];
        args.b = x[1];
        args.y = y;
        args.transpose_a = true;
        args.accumulate = true;
        ops.matmul(args);
        return tensor_list{y};
      },
      {1e-5, 1e-5});
}

TEST(matmul, applies_bias_and_activation_and_keeps_what_was_before) {
  for (const auto& [n, i, o] : all_extents)
    for (const auto kind : {activation_kind::none, activation_kind::gelu,
                            activation_kind::relu, activation_kind::tanh})
      for (const bool keeps : {false, true})
        check_op({stored(n, i, false, 1), stored(i, o, false, 2),
                  random_values({o}, 3)},
                 [&, n = n, o = o](operations& ops, const tensor_list& x) {
                   matmul_args args;
                   args.a = x[0];
                   args.b = x[1];
                   args.y = ops.make({dtype::f32, {n, o}});
                   args.bias = x[2];
                   args.activation = kind;
                   if (keeps)
                     args.pre_activation = ops.make({dtype::f32, {n, o}});
                   ops.matmul(args);
                   return keeps ? tensor_list{args.y, args.pre_activation}
                                : tensor_list{args.y};
                 },
                 {1e-5, 1e-5});
}

TEST(matmul, flattens_leading_extents) {
  check_op({random_values({2, 3, 5}, 1), random_values({5, 4}, 2)},
           [](operations& ops, const tensor_list& x) {
             matmul_args args;
             args.a = x[0];
             args.b = x[1];
             args.y = ops.make({dtype::f32, {2, 3, 4}});
             ops.matmul(args);
             return tensor_list{args.y};
           },
           {1e-6, 1e-6});
}

TEST(matmul, of_a_hand_made_example) {
  const auto a = tensor::from({2, 2}, std::vector<float>{1, 2, 3, 4});
  const auto b = tensor::from({2, 2}, std::vector<float>{5, 6, 7, 8});
  const auto call = [](operations& ops, const tensor_list& x) {
    matmul_args args;
    args.a = x[0];
    args.b = x[1];
    args.y = ops.make({dtype::f32, {2, 2}});
    ops.matmul(args);
    return tensor_list{args.y};
  };
  const std::vector<double> product{19, 22, 43, 50};
  EXPECT_EQ(product, values_of(on_reference({a, b}, call)[0]));
  EXPECT_EQ(product, values_of(on_cpu(1, {a, b}, call)[0]));
}

} // namespace
} // namespace actorpipe::test
