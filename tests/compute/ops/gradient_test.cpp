// SPDX-License-Identifier: Apache-2.0
/// The reference's gradients against central differences, in f64.
#include "op_check.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {
namespace {

/// Expects that d_x = (d sum(weights * y) / d x) for the input `which`, where
/// `forward` gives y first and `gradient` gives d_x.
void check_gradient(const tensor_list& inputs, std::size_t which,
                    const op_call& forward, const tensor& weights,
                    const tensor& gradient) {
  constexpr double step = 1e-5;
  const auto objective = [&] {
    const auto y = values_of(on_reference(inputs, forward)[0]);
    const auto w = values_of(weights);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      sum += y[i] * w[i];
    return sum;
  };
  auto x = inputs[which];
  const auto expected = values_of(gradient);
  for (std::int64_t i = 0; i < x.elements(); ++i) {
    auto& value = x.data<double>()[i];
    const auto before = value;
    value = before + step;
    const auto above = objective();
    value = before - step;
    const auto below = objective();
    value = before;
    ASSERT_NEAR((above - below) / (2 * step), expected[i], 1e-7) << "at " << i;
  }
}

tensor values(const shape& extents, std::uint64_t seed) {
  return as_f64(random_values(extents, seed));
}

TEST(gradient, of_the_activations) {
  for (const auto kind : {activation_kind::none, activation_kind::gelu,
                          activation_kind::relu, activation_kind::tanh}) {
    const tensor_list inputs{values({20}, 1), values({20}, 2)};
    const auto d_x =
      on_reference(inputs, [&](operations& ops, const tensor_list& x) {
        auto result = ops.make(x[0].type());
        ops.activation_backward(kind, result, x[1], x[0]);
        return tensor_list{result};
      });
    check_gradient(
      inputs, 0,
      [&](operations& ops, const tensor_list& x) {
        auto y = ops.make(x[0].type());
        ops.activation_forward(kind, y, x[0]);
        return tensor_list{y};
      },
      inputs[1], d_x[0]);
  }
}

TEST(gradient, of_layer_norm) {
  const tensor_list inputs{values({3, 5}, 1), values({5}, 2), values({5}, 3),
                           values({3, 5}, 4)};
  const op_call forward = [](operations& ops, const tensor_list& x) {
    auto y = ops.make(x[0].type());
    auto mean = ops.make({dtype::f64, {3}});
    auto rstd = ops.make({dtype::f64, {3}});
    ops.layer_norm_forward(y, mean, rstd, x[0], x[1], x[2], 1e-5);
    return tensor_list{y, mean, rstd};
  };
  const auto gradients =
    on_reference(inputs, [&](operations& ops, const tensor_list& x) {
      const auto saved = forward(ops, x);
      auto d_x = ops.make(x[0].type());
      auto d_gamma = ops.make_zeros(x[1].type());
      auto d_beta = ops.make_zeros(x[2].type());
      ops.layer_norm_backward_input(d_x, x[3], x[0], saved[1], saved[2], x[1]);
      ops.layer_norm_backward_weight(d_gamma, d_beta, x[3], x[0], saved[1],
                                     saved[2]);
      return tensor_list{d_x, d_gamma, d_beta};
    });
  for (std::size_t which = 0; which < 3; ++which)
    check_gradient(inputs, which, forward, inputs[3], gradients[which]);
}

TEST(gradient, of_attention) {
  const tensor_list inputs{values({2, 5, 12}, 1), values({2, 5, 4}, 2)};
  const op_call forward = [](operations& ops, const tensor_list& x) {
    auto y = ops.make(x[1].type());
    auto p = ops.make({dtype::f64, {2, 2, 5, 5}});
    ops.attention_forward({x[0], y, p, 2});
    return tensor_list{y, p};
  };
  const auto d_qkv =
    on_reference(inputs, [&](operations& ops, const tensor_list& x) {
      auto result = ops.make(x[0].type());
      ops.attention_backward({x[1], x[0], forward(ops, x)[1], result, 2});
      return tensor_list{result};
    });
  check_gradient(inputs, 0, forward, inputs[1], d_qkv[0]);
}

TEST(gradient, of_cross_entropy) {
  const auto targets =
    tensor::from({4}, std::vector<std::int32_t>{0, 6, -100, 3});
  const tensor_list inputs{values({4, 7}, 1), targets};
  const op_call forward = [](operations& ops, const tensor_list& x) {
    auto loss = ops.make({dtype::f64, {1}});
    auto log_sum_exp = ops.make({dtype::f64, {4}});
    ops.cross_entropy_forward(loss, log_sum_exp, x[0], x[1], -100);
    return tensor_list{loss, log_sum_exp};
  };
  const auto d_logits =
    on_reference(inputs, [&](operations& ops, const tensor_list& x) {
      auto result = ops.make(x[0].type());
      ops.cross_entropy_backward(result, x[0], forward(ops, x)[1], x[1], -100,
                                 0.5);
      return tensor_list{result};
    });
  check_gradient(inputs, 0, forward,
                 tensor::from({1}, std::vector<double>{0.5}), d_logits[0]);
}

TEST(gradient, of_dropout_and_the_embedding_works_in_f64) {
  const auto outputs = on_reference(
    {values({2, 9}, 1), values({5, 3}, 2), random_integers({2, 2}, 3, 5)},
    [](operations& ops, const tensor_list& x) {
      auto dropped = ops.make(x[0].type());
      ops.dropout(dropped, x[0], 0.5, {1}, 0);
      auto y = ops.make({dtype::f64, {2, 2, 3}});
      ops.embedding_forward(y, x[2], x[1], {});
      auto d_table = ops.make_zeros(x[1].type());
      ops.embedding_backward(d_table, {}, y, x[2]);
      return tensor_list{dropped, y, d_table};
    });
  EXPECT_EQ(dtype::f64, outputs[0].element());
  EXPECT_EQ(dtype::f64, outputs[2].element());
}

} // namespace
} // namespace actorpipe::test
