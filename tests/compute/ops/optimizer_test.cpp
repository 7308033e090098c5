// SPDX-License-Identifier: Apache-2.0
/// Optimiser steps: cpu against reference, and hand-made first steps.
#include "op_check.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace actorpipe::test {
namespace {

/// Fills in the tensors: inputs are w, d_w and the slots; returns w_next and
/// the next slots.
template <class Args>
tensor_list step(operations& ops, const tensor_list& x, Args args,
                 void (operations::*run)(const Args&)) {
  args.w = x[0];
  args.d_w = x[1];
  args.w_next = ops.make(x[0].type());
  tensor_list outputs{args.w_next};
  for (std::size_t i = 2; i < x.size(); ++i) {
    args.slots.push_back(x[i]);
    args.slots_next.push_back(ops.make(x[i].type()));
    outputs.push_back(args.slots_next.back());
  }
  (ops.*run)(args);
  return outputs;
}

template <class Args>
op_call call_of(const Args& args, void (operations::*run)(const Args&)) {
  return [=](operations& ops, const tensor_list& x) {
    return step(ops, x, args, run);
  };
}

tensor squares(const shape& extents, std::uint64_t seed) {
  auto x = random_values(extents, seed);
  for (std::int64_t i = 0; i < x.elements(); ++i)
    x.data<float>()[i] *= x.data<float>()[i];
  return x;
}

template <class Args>
Args with_common(Args args) {
  args.learning_rate = 0.01;
  args.gradient_scale = 0.5;
  args.weight_decay = 0.1;
  args.step = 3;
  return args;
}

const std::vector<shape> shapes{{1}, {7, 13}, {129, 257}};

TEST(optimizer_step, sgd_matches_the_reference) {
  for (const auto& extents : shapes)
    for (const double momentum : {0.0, 0.9})
      for (const bool nesterov : {false, true}) {
        auto args = with_common(sgd_args{});
        args.momentum = momentum;
        args.nesterov = nesterov;
        tensor_list inputs{random_values(extents, 1),
                           random_values(extents, 2)};
        if (momentum != 0)
          inputs.push_back(random_values(extents, 3));
        check_op(inputs, call_of(args, &operations::sgd_step), {1e-7, 1e-6});
      }
}

TEST(optimizer_step, rmsprop_matches_the_reference) {
  for (const auto& extents : shapes)
    check_op({random_values(extents, 1), random_values(extents, 2),
              squares(extents, 3)},
             call_of(with_common(rmsprop_args{}), &operations::rmsprop_step),
             {1e-6, 1e-6});
}

TEST(optimizer_step, adam_matches_the_reference) {
  for (const auto& extents : shapes)
    for (const bool decoupled : {false, true}) {
      auto args = with_common(adam_args{});
      args.decoupled_decay = decoupled;
      check_op({random_values(extents, 1), random_values(extents, 2),
                random_values(extents, 3), squares(extents, 4)},
               call_of(args, &operations::adam_step), {1e-6, 1e-6});
    }
}

TEST(optimizer_step, the_first_of_sgd_with_momentum_is_that_of_sgd) {
  const auto w = random_values({9}, 1);
  const auto d_w = random_values({9}, 2);
  sgd_args plain;
  plain.learning_rate = 0.1;
  auto heavy = plain;
  heavy.momentum = 0.9;
  const auto zeros = tensor::zeros(w.type());
  expect_same_bits(
    on_cpu(1, {w, d_w}, call_of(plain, &operations::sgd_step))[0],
    on_cpu(1, {w, d_w, zeros}, call_of(heavy, &operations::sgd_step))[0]);
}

TEST(optimizer_step, the_first_of_adam_moves_by_the_rate) {
  adam_args args;
  args.learning_rate = 0.1;
  const auto one = tensor::from({1}, std::vector<float>{1.F});
  const auto zero = tensor::zeros(one.type());
  for (const auto& next : {on_cpu(1, {one, one, zero, zero},
                                  call_of(args, &operations::adam_step)),
                           on_reference({one, one, zero, zero},
                                        call_of(args, &operations::adam_step))})
    EXPECT_NEAR(0.9, values_of(next[0])[0], 1e-6);
}

TEST(optimizer_step, decoupled_decay_leaves_the_moments_alone) {
  adam_args args;
  args.learning_rate = 0.1;
  args.weight_decay = 0.5;
  args.decoupled_decay = true;
  const auto one = tensor::from({1}, std::vector<float>{1.F});
  const auto zero = tensor::zeros(one.type());
  const auto next = on_reference({one, zero, zero, zero},
                                 call_of(args, &operations::adam_step));
  EXPECT_NEAR(0.95, values_of(next[0])[0], 1e-6);
  EXPECT_EQ(0, values_of(next[1])[0]);
}

TEST(optimizer_step, leaves_what_it_reads_as_it_was) {
  const auto w = random_values({40}, 1);
  const auto m = random_values({40}, 3);
  const auto before = values_of(w);
  const auto m_before = values_of(m);
  auto args = with_common(sgd_args{});
  args.momentum = 0.9;
  on_cpu(1, {w, random_values({40}, 2), m},
         call_of(args, &operations::sgd_step));
  EXPECT_EQ(before, values_of(w));
  EXPECT_EQ(m_before, values_of(m));
}

} // namespace
} // namespace actorpipe::test
