// SPDX-License-Identifier: Apache-2.0
/// A dry run counts what a real run allocates.
#include "compute/device/device.hpp"

#include <gtest/gtest.h>

namespace actorpipe {
namespace {

/// Every operation once, on small tensors.
void run_everything(operations& ops) {
  const auto floats = [&](const shape& extents) {
    return ops.make_zeros({dtype::f32, extents});
  };
  constexpr std::int64_t b = 2;
  constexpr std::int64_t t = 70;
  constexpr std::int64_t c = 8;
  auto x = floats({b, t, c});
  auto y = floats({b, t, c});
  auto qkv = floats({b, t, 3 * c});
  auto weight = floats({c, 3 * c});
  auto row = floats({c});
  auto row_sum = floats({3 * c});
  auto mean = floats({b * t});
  auto rstd = floats({b * t});
  auto scalar = ops.make_zeros({dtype::f64, {1}});
  auto tokens = ops.make_zeros({dtype::i32, {b, t}});
  auto probabilities = floats({b, 2, t, t});

  ops.fill(x, 1);
  ops.copy(y, x);
  ops.add(y, y, x);
  ops.activation_forward(activation_kind::gelu, y, x);
  ops.activation_backward(activation_kind::gelu, y, y, x);
  ops.dropout(y, x, 0.5, {1}, 0);
  matmul_args product;
  product.a = x;
  product.b = weight;
  product.y = qkv;
  ops.matmul(product);
  ops.column_sum(row_sum, qkv);
  ops.sum_of_squares(scalar, x);
  ops.layer_norm_forward(y, mean, rstd, x, row, row, 1e-5);
  ops.layer_norm_backward_input(y, x, x, mean, rstd, row);
  ops.layer_norm_backward_weight(row, row, x, x, mean, rstd);
  ops.attention_forward({qkv, y, probabilities, 2});
  ops.attention_backward({y, qkv, probabilities, qkv, 2});
  ops.embedding_forward(y, tokens, x.reshaped({b * t, c}), {});
  ops.embedding_backward(x.reshaped({b * t, c}), {}, y, tokens);
  ops.cross_entropy_forward(scalar, mean, x, tokens.reshaped({b * t}), -1);
  ops.cross_entropy_backward(y, x, mean, tokens.reshaped({b * t}), -1, 1);
  ops.fill_normal(x, 1, {1});
  ops.fill_uniform(x, 1, {1});
  sgd_args step;
  step.w = x;
  step.d_w = y;
  step.w_next = floats({b, t, c});
  ops.sgd_step(step);
}

TEST(counting_device, counts_as_many_bytes_as_the_others_use) {
  std::vector<std::int64_t> peaks;
  for (const auto& where :
       {make_reference_device("reference:0"), make_cpu_device("cpu:0", 2),
        make_counting_device("counting:0")}) {
    const auto holder = std::make_shared<memory_account>("everything");
    auto work = where->make_stream(holder);
    run_everything(work->ops());
    work->record().wait();
    EXPECT_EQ(0, holder->now_bytes()) << where->name();
    peaks.push_back(holder->peak_bytes());
  }
  EXPECT_GT(peaks[0], 0);
  EXPECT_EQ(peaks[0], peaks[1]);
  EXPECT_EQ(peaks[0], peaks[2]);
}

TEST(counting_device, never_runs_host_code) {
  auto work = make_counting_device("counting:0")->make_stream(nullptr);
  work->ops().enqueue(3, [](std::int64_t) { FAIL(); });
  work->record().wait();
}

} // namespace
} // namespace actorpipe
