// SPDX-License-Identifier: Apache-2.0
/// Elementwise operations: cpu against reference, and special values.
#include "op_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace actorpipe::test {
namespace {

constexpr auto infinity = std::numeric_limits<float>::infinity();
constexpr auto nan = std::numeric_limits<float>::quiet_NaN();

const std::vector<activation_kind> all_activations{
  activation_kind::none, activation_kind::gelu, activation_kind::relu,
  activation_kind::tanh};

/// Lengths around the vector width and the piece size.
const std::vector<std::int64_t> lengths{0, 1, 7, 15, 16, 17, 129, 16385, 40000};

tensor_list forward(activation_kind kind, operations& ops,
                    const tensor_list& x) {
  auto y = ops.make(x[0].type());
  ops.activation_forward(kind, y, x[0]);
  return {y};
}

tensor_list backward(activation_kind kind, operations& ops,
                     const tensor_list& x) {
  auto d_x = ops.make(x[0].type());
  ops.activation_backward(kind, d_x, x[0], x[1]);
  return {d_x};
}

TEST(elementwise, add_is_exact) {
  for (const auto n : lengths)
    check_op({random_values({n}, 1), random_values({n}, 2)},
             [](operations& ops, const tensor_list& x) {
               auto y = ops.make(x[0].type());
               ops.add(y, x[0], x[1]);
               return tensor_list{y};
             },
             {});
}

TEST(elementwise, add_takes_sums_of_losses) {
  const auto call = [](operations& ops, const tensor_list& x) {
    auto y = ops.make_zeros(x[0].type());
    ops.add(y, y, x[0]);
    ops.add(y, y, x[0]);
    return tensor_list{y};
  };
  const auto x = as_f64(random_values({3}, 1));
  expect_same_bits(on_reference({x}, call)[0], on_cpu(1, {x}, call)[0]);
}

TEST(elementwise, an_output_may_be_the_input) {
  const auto call = [](operations& ops, const tensor_list& x) {
    auto y = ops.make(x[0].type());
    ops.copy(y, x[0]);
    ops.add(y, y, x[1]);
    ops.activation_forward(activation_kind::gelu, y, y);
    ops.activation_backward(activation_kind::tanh, y, y, x[0]);
    ops.dropout(y, y, 0.25, {5}, 0);
    return tensor_list{y};
  };
  check_op({random_values({3, 1001}, 1), random_values({3, 1001}, 2)}, call,
           {1e-6, 1e-6});
}

TEST(elementwise, activations_and_their_derivatives_match_the_reference) {
  for (const auto kind : all_activations)
    for (const auto n : lengths) {
      check_op({random_values({n}, 3, 12)},
               [&](operations& ops, const tensor_list& x) {
                 return forward(kind, ops, x);
               },
               {1e-7, 5e-7});
      check_op({random_values({n}, 4), random_values({n}, 3, 12)},
               [&](operations& ops, const tensor_list& x) {
                 return backward(kind, ops, x);
               },
               {5e-7, 1e-6});
    }
}

TEST(elementwise, activations_keep_what_is_not_finite_and_bear_what_is_large) {
  const auto x =
    tensor::from({8}, std::vector<float>{infinity, nan, 1e30F, -1e30F, 88.F,
                                         -88.F, 0.F, 1e-30F});
  const auto ones = tensor::from({8}, std::vector<float>(8, 1.F));
  for (const auto kind : all_activations) {
    check_op({x},
             [&](operations& ops, const tensor_list& in) {
               return forward(kind, ops, in);
             },
             {1e-30, 5e-7});
    const auto d_x = values_of(
      on_cpu(1, {ones, x}, [&](operations& ops, const tensor_list& in) {
        return backward(kind, ops, in);
      })[0]);
    for (const std::size_t finite : {2, 3, 4, 5, 6, 7})
      EXPECT_TRUE(std::isfinite(d_x[finite]));
  }
}

TEST(elementwise, dropout_keeps_the_same_elements_as_the_reference) {
  for (const auto n : {1, 3, 130, 20001})
    for (const double p : {0.0, 0.1, 0.9})
      check_op({random_values({3, n}, 1)},
               [&](operations& ops, const tensor_list& x) {
                 auto y = ops.make(x[0].type());
                 ops.dropout(y, x[0], p, {42}, 7);
                 return tensor_list{y};
               },
               {});
}

TEST(elementwise, dropout_of_a_sample_does_not_depend_on_the_cut) {
  const auto x = random_values({5, 33}, 1);
  const auto whole = [](operations& ops, const tensor_list& in) {
    auto y = ops.make(in[0].type());
    ops.dropout(y, in[0], 0.5, {42}, 10);
    return tensor_list{y};
  };
  const auto cut = [](operations& ops, const tensor_list& in) {
    auto y = ops.make(in[0].type());
    ops.dropout(y.rows(0, 2), in[0].rows(0, 2), 0.5, {42}, 10);
    ops.dropout(y.rows(2, 5), in[0].rows(2, 5), 0.5, {42}, 12);
    return tensor_list{y};
  };
  expect_same_bits(on_cpu(1, {x}, whole)[0], on_cpu(1, {x}, cut)[0]);
}

TEST(elementwise, dropout_drops_about_its_share) {
  const auto ones = tensor::from({1, 40000}, std::vector<float>(40000, 1.F));
  const auto y =
    values_of(on_cpu(1, {ones}, [](operations& ops, const tensor_list& x) {
      auto kept = ops.make(x[0].type());
      ops.dropout(kept, x[0], 0.2, {9}, 0);
      return tensor_list{kept};
    })[0]);
  EXPECT_NEAR(static_cast<double>(std::count(y.begin(), y.end(), 0.0)), 8000,
              400);
  EXPECT_EQ(std::count(y.begin(), y.end(), 1.25)
              + std::count(y.begin(), y.end(), 0.0),
            40000);
}

TEST(elementwise, fill_and_copy_take_every_type) {
  for (const auto type : {dtype::f32, dtype::f64, dtype::i32, dtype::u8})
    check_op(
      {},
      [&](operations& ops, const tensor_list&) {
        auto x = ops.make({type, {20000}});
        ops.fill(x, 3);
        auto y = ops.make_zeros({type, {20000}});
        ops.copy(y, x);
        auto seen = ops.make({dtype::f64, {1}});
        ops.fill(seen, type == dtype::u8 ? y.data<std::uint8_t>()[19999] : 0);
        return type == dtype::u8 || type == dtype::i32 ? tensor_list{seen}
                                                       : tensor_list{y};
      },
      {});
}

} // namespace
} // namespace actorpipe::test
