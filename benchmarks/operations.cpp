// SPDX-License-Identifier: Apache-2.0
/// The operations of one layer of the language model, one by one, for whoever
/// changes a kernel. Not a row of the table.
#include "benchmarks/gpt.hpp"
#include "compute/device/device.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>

using namespace actorpipe;
using namespace actorpipe::benchmarks;
using gpt::heads;
using gpt::sequence;
using gpt::vocabulary;
using gpt::width;

namespace {

constexpr std::int64_t N = 4 * sequence; // rows of a micro-batch
constexpr std::int64_t B = N / sequence;

/// One thread that computes, and tensors of a small constant.
class one_thread {
public:
  operations& ops() { return stream_->ops(); }

  tensor make(const shape& extents) {
    auto result = ops().make({dtype::f32, extents});
    ops().fill(result, 0.01);
    return result;
  }

private:
  std::shared_ptr<device> device_ = make_cpu_device("cpu:0", 1);
  std::unique_ptr<stream> stream_ =
    device_->make_stream(std::make_shared<memory_account>("benchmark"));
};

void count_flops(benchmark::State& state, double flops) {
  state.counters["FLOP/s"] =
    benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

constexpr double linear_flops(std::int64_t inputs, std::int64_t outputs) {
  return 2.0 * static_cast<double>(N * inputs * outputs);
}

void linear_forward_gelu(benchmark::State& state) {
  one_thread on;
  matmul_args args;
  args.a = on.make({N, width});
  args.b = on.make({4 * width, width});
  args.transpose_b = true;
  args.y = on.make({N, 4 * width});
  args.bias = on.make({4 * width});
  args.activation = activation_kind::gelu;
  args.pre_activation = on.make({N, 4 * width});
  for ([[maybe_unused]] auto _ : state)
    on.ops().matmul(args);
  count_flops(state, linear_flops(width, 4 * width));
}

void linear_backward_input(benchmark::State& state) {
  one_thread on;
  matmul_args args;
  args.a = on.make({N, 4 * width});
  args.b = on.make({4 * width, width});
  args.y = on.make({N, width});
  for ([[maybe_unused]] auto _ : state)
    on.ops().matmul(args);
  count_flops(state, linear_flops(width, 4 * width));
}

void linear_backward_weight(benchmark::State& state) {
  one_thread on;
  matmul_args args;
  args.a = on.make({N, 4 * width});
  args.transpose_a = true;
  args.b = on.make({N, width});
  args.y = on.make({4 * width, width});
  args.accumulate = true;
  for ([[maybe_unused]] auto _ : state)
    on.ops().matmul(args);
  count_flops(state, linear_flops(width, 4 * width));
}

void attention_forward(benchmark::State& state) {
  one_thread on;
  const attention_args args{on.make({B, sequence, 3 * width}),
                            on.make({B, sequence, width}),
                            on.make({B, heads, sequence, sequence}), heads};
  for ([[maybe_unused]] auto _ : state)
    on.ops().attention_forward(args);
}

void attention_backward(benchmark::State& state) {
  one_thread on;
  const attention_backward_args args{on.make({B, sequence, width}),
                                     on.make({B, sequence, 3 * width}),
                                     on.make({B, heads, sequence, sequence}),
                                     on.make({B, sequence, 3 * width}), heads};
  for ([[maybe_unused]] auto _ : state)
    on.ops().attention_backward(args);
}

void layer_norm_forward(benchmark::State& state) {
  one_thread on;
  const auto x = on.make({N, width});
  const auto y = on.make({N, width});
  const auto mean = on.make({N});
  const auto rstd = on.make({N});
  const auto gamma = on.make({width});
  for ([[maybe_unused]] auto _ : state)
    on.ops().layer_norm_forward(y, mean, rstd, x, gamma, gamma, 1e-5);
}

void layer_norm_backward(benchmark::State& state) {
  one_thread on;
  const auto x = on.make({N, width});
  const auto d_y = on.make({N, width});
  const auto d_x = on.make({N, width});
  const auto mean = on.make({N});
  const auto rstd = on.make({N});
  const auto gamma = on.make({width});
  const auto d_gamma = on.make({width});
  const auto d_beta = on.make({width});
  for ([[maybe_unused]] auto _ : state) {
    on.ops().layer_norm_backward_input(d_x, d_y, x, mean, rstd, gamma);
    on.ops().layer_norm_backward_weight(d_gamma, d_beta, d_y, x, mean, rstd);
  }
}

void gelu_backward(benchmark::State& state) {
  one_thread on;
  const auto x = on.make({N, 4 * width});
  const auto d_y = on.make({N, 4 * width});
  const auto d_x = on.make({N, 4 * width});
  for ([[maybe_unused]] auto _ : state)
    on.ops().activation_backward(activation_kind::gelu, d_x, d_y, x);
}

void column_sum(benchmark::State& state) {
  one_thread on;
  const auto d_y = on.make({N, 4 * width});
  const auto d_b = on.make({4 * width});
  for ([[maybe_unused]] auto _ : state)
    on.ops().column_sum(d_b, d_y);
}

void cross_entropy(benchmark::State& state) {
  one_thread on;
  const auto logits = on.make({N, vocabulary});
  const auto d_logits = on.make({N, vocabulary});
  const auto log_sum_exp = on.make({N});
  const auto loss = on.ops().make({dtype::f64, {1}});
  const auto targets = on.ops().make_zeros({dtype::i32, {N}});
  for ([[maybe_unused]] auto _ : state) {
    on.ops().cross_entropy_forward(loss, log_sum_exp, logits, targets, -1);
    on.ops().cross_entropy_backward(d_logits, logits, log_sum_exp, targets, -1,
                                    1.0 / static_cast<double>(N));
  }
}

BENCHMARK(linear_forward_gelu);
BENCHMARK(linear_backward_input);
BENCHMARK(linear_backward_weight);
BENCHMARK(attention_forward);
BENCHMARK(attention_backward);
BENCHMARK(layer_norm_forward);
BENCHMARK(layer_norm_backward);
BENCHMARK(gelu_backward);
BENCHMARK(column_sum);
BENCHMARK(cross_entropy);

} // namespace

BENCHMARK_MAIN();
