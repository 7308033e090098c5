// SPDX-License-Identifier: Apache-2.0
/// The bare matrix products of one training step of the language model.
#include "benchmarks/gpt_products.hpp"

#include "benchmarks/gpt.hpp"

#include <algorithm>

namespace actorpipe::benchmarks {

using gpt::depth;
using gpt::heads;
using gpt::sequence;
using gpt::vocabulary;
using gpt::width;

namespace {

// As in compute/cpu/matmul.cpp and compute/cpu/attention.cpp.
constexpr std::int64_t tile = 256;
constexpr std::int64_t block_queries = 64;

constexpr float any_value = 0.01F;

matrix_view moved(matrix_view x, std::int64_t down, std::int64_t right) {
  x.values += x.transposed ? right * x.stride + down : down * x.stride + right;
  return x;
}

void add_tiles(std::vector<product>& all, const product& whole) {
  for (std::int64_t n = 0; n < whole.rows; n += tile)
    for (std::int64_t o = 0; o < whole.columns; o += tile) {
      auto part = whole;
      part.c += n * whole.c_stride + o;
      part.a = moved(whole.a, n, 0);
      part.b = moved(whole.b, 0, o);
      part.rows = std::min(tile, whole.rows - n);
      part.columns = std::min(tile, whole.columns - o);
      all.push_back(part);
    }
}

} // namespace

gpt_products::gpt_products(std::int64_t micro_batch_samples)
  : samples_(micro_batch_samples),
    weights_(12 * width * width * depth + width * vocabulary, any_value),
    d_weights_(weights_.size(), 0.0F),
    inputs_(samples_ * sequence * 4 * width, any_value),
    outputs_(inputs_.size(), any_value), d_values_(inputs_.size(), any_value),
    probabilities_(samples_ * heads * sequence * sequence, any_value) {}

std::vector<product> gpt_products::linear(bool tiled) {
  std::vector<product> result;
  const auto N = samples_ * sequence;
  std::int64_t at = 0;
  const auto add = [&](const product& x) {
    if (tiled)
      add_tiles(result, x);
    else
      result.push_back(x);
  };
  const auto add_layer = [&](std::int64_t I, std::int64_t O) {
    auto* w = weights_.data() + at;     // [O, I]
    auto* d_w = d_weights_.data() + at; // [O, I]
    auto* x = inputs_.data();           // [N, I]
    auto* y = outputs_.data();          // [N, O]
    auto* d_x = d_values_.data();       // [N, I]
    at += O * I;
    add({y, O, {x, I}, {w, I, true}, N, O, I, false});
    add({d_x, I, {y, O}, {w, I}, N, I, O, false});
    add({d_w, I, {y, O, true}, {x, I}, O, I, N, true});
  };
  for (std::int64_t block = 0; block < depth; ++block) {
    add_layer(width, 3 * width);
    add_layer(width, width);
    add_layer(width, 4 * width);
    add_layer(4 * width, width);
  }
  add_layer(width, vocabulary);
  return result;
}

std::vector<product> gpt_products::attention(bool causal_blocks) {
  std::vector<product> result;
  constexpr auto size = width / heads;
  constexpr auto stride = 3 * width;
  const auto queries = causal_blocks ? block_queries : sequence;
  const auto add_head = [&](std::int64_t sample, std::int64_t head) {
    const auto at = sample * sequence * stride + head * size;
    auto* q = inputs_.data() + at;     // [T, 3C], keys C later, then values
    auto* d_q = d_values_.data() + at; // [T, 3C]
    auto* y = outputs_.data() + sample * sequence * width + head * size;
    auto* p = probabilities_.data()
            + (sample * heads + head) * sequence * sequence; // [T, T]
    for (std::int64_t begin = 0; begin < sequence; begin += queries) {
      const auto end = begin + queries;
      auto* q_block = q + begin * stride;
      auto* y_block = y + begin * width;
      auto* p_block = p + begin * sequence;
      const matrix_view key{q + width, stride};
      const matrix_view value{q + 2 * width, stride};
      const matrix_view p_view{p_block, sequence};
      const auto flipped = [](matrix_view x) {
        x.transposed = true;
        return x;
      };
      // Scores, and their use on the values.
      result.push_back({p_block,
                        sequence,
                        {q_block, stride},
                        flipped(key),
                        queries,
                        end,
                        size,
                        false});
      result.push_back(
        {y_block, width, p_view, value, queries, size, end, false});
      // Backward: of the probabilities, the queries, the keys, the values.
      result.push_back({p_block,
                        sequence,
                        {y_block, width},
                        flipped(value),
                        queries,
                        end,
                        size,
                        false});
      result.push_back(
        {d_q + begin * stride, stride, p_view, key, queries, size, end, false});
      for (const auto& [from, to] :
           {std::pair{std::int64_t{0}, begin}, std::pair{begin, end}}) {
        if (from == to)
          continue;
        auto* d_k = d_q + width + from * stride;
        const auto part = flipped(moved(p_view, 0, from));
        const auto known = to == begin;
        result.push_back({d_k,
                          stride,
                          part,
                          {q_block, stride},
                          to - from,
                          size,
                          queries,
                          known});
        result.push_back({d_k + width,
                          stride,
                          part,
                          {y_block, width},
                          to - from,
                          size,
                          queries,
                          known});
      }
    }
  };
  for (std::int64_t block = 0; block < depth; ++block)
    for (std::int64_t sample = 0; sample < samples_; ++sample)
      for (std::int64_t head = 0; head < heads; ++head)
        add_head(sample, head);
  return result;
}

void run(const std::vector<product>& products) {
  for (const auto& x : products)
    sgemm(x.c, x.c_stride, x.a, x.b, x.rows, x.columns, x.inner, x.accumulate);
}

double flops_of(const std::vector<product>& products) {
  double sum = 0;
  for (const auto& x : products)
    sum += x.flops();
  return sum;
}

} // namespace actorpipe::benchmarks
