// SPDX-License-Identifier: Apache-2.0
/// Causal attention: cpu against reference, and what causal means.
#include "op_check.hpp"

#include <gtest/gtest.h>

namespace actorpipe::test {
namespace {

struct extents {
  std::int64_t samples;
  std::int64_t sequence;
  std::int64_t width;
  std::int64_t heads;
};

const std::vector<extents> all_extents{{1, 1, 1, 1},    {2, 7, 6, 3},
                                       {1, 64, 32, 2},  {3, 65, 24, 3},
                                       {2, 129, 16, 1}, {1, 200, 20, 4}};

op_call forward(const extents& at) {
  return [=](operations& ops, const tensor_list& x) {
    const auto type = x[0].element();
    attention_args args;
    args.qkv = x[0];
    args.heads = at.heads;
    args.y = ops.make({type, {at.samples, at.sequence, at.width}});
    args.probabilities =
      ops.make({type, {at.samples, at.heads, at.sequence, at.sequence}});
    ops.attention_forward(args);
    return tensor_list{args.y, args.probabilities};
  };
}

op_call backward(const extents& at) {
  return [=](operations& ops, const tensor_list& x) {
    attention_backward_args args;
    args.probabilities = forward(at)(ops, x)[1];
    args.qkv = x[0];
    args.d_y = x[1];
    args.heads = at.heads;
    args.d_qkv = ops.make(x[0].type());
    ops.attention_backward(args);
    return tensor_list{args.d_qkv};
  };
}

/// qkv, d_y
tensor_list inputs_of(const extents& at, double scale = 1) {
  return {random_values({at.samples, at.sequence, 3 * at.width}, 1, scale),
          random_values({at.samples, at.sequence, at.width}, 2)};
}

TEST(attention, forward_matches_the_reference) {
  for (const auto& at : all_extents)
    check_op(inputs_of(at), forward(at), {2e-6, 2e-6});
}

TEST(attention, backward_matches_the_reference) {
  for (const auto& at : all_extents)
    check_op(inputs_of(at), backward(at), {1e-5, 1e-5});
}

TEST(attention, bears_large_scores) {
  const extents at{1, 70, 8, 2};
  check_op(inputs_of(at, 60), forward(at), {2e-3, 1e-3});
}

TEST(attention, a_position_does_not_see_later_ones) {
  const extents at{1, 70, 8, 2};
  auto inputs = inputs_of(at);
  const auto before = on_cpu(1, inputs, forward(at));
  auto last = inputs[0].reshaped({70, 24}).rows(69, 70);
  for (std::int64_t i = 0; i < 24; ++i)
    last.data<float>()[i] += 1;
  const auto after = on_cpu(1, inputs, forward(at));
  const auto head = [](const tensor& y) {
    return values_of(y.reshaped({70, 8}).rows(0, 69));
  };
  EXPECT_EQ(head(before[0]), head(after[0]));
  EXPECT_NE(values_of(before[0]), values_of(after[0]));
}

TEST(attention, every_row_of_probabilities_adds_up_to_one_and_is_causal) {
  const extents at{1, 129, 8, 1};
  const auto p = values_of(on_cpu(1, inputs_of(at), forward(at))[1]);
  for (std::int64_t t = 0; t < 129; ++t) {
    double sum = 0;
    for (std::int64_t s = 0; s < 129; ++s) {
      sum += p[t * 129 + s];
      if (s > t) {
        ASSERT_EQ(0, p[t * 129 + s]);
      }
    }
    ASSERT_NEAR(1, sum, 1e-6);
  }
}

} // namespace
} // namespace actorpipe::test
