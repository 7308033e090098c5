// SPDX-License-Identifier: Apache-2.0
/// The bare matrix products of one training step of the language model.
#include "benchmarks/gpt_products.hpp"

#include "benchmarks/gpt.hpp"

#include <algorithm>
#include <array>
#include <utility>

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
constexpr std::int64_t widest = 4 * width;

struct linear_layer {
  std::int64_t inputs;
  std::int64_t outputs;
};
constexpr std::array<linear_layer, 4> block_layers{
  {{width, 3 * width}, {width, width}, {width, 4 * width}, {4 * width, width}}};
constexpr std::int64_t layers = 4 * depth + 1;

linear_layer layer_at(std::int64_t index) {
  return index + 1 < layers ? block_layers[index % 4]
                            : linear_layer{width, vocabulary};
}

/// Makes queries, keys and values.
bool is_before_attention(std::int64_t layer) {
  return layer + 1 < layers && layer % 4 == 0;
}

/// The operand from row `down` and column `right` on.
matrix_view part(matrix_view x, std::int64_t down, std::int64_t right) {
  x.values += x.transposed ? right * x.stride + down : down * x.stride + right;
  return x;
}

matrix_view transposed(matrix_view x) {
  x.transposed = true;
  return x;
}

void add_tiles(std::vector<product>& all, const product& whole) {
  for (std::int64_t n = 0; n < whole.rows; n += tile)
    for (std::int64_t o = 0; o < whole.columns; o += tile) {
      auto one = whole;
      one.c += n * whole.c_stride + o;
      one.a = part(whole.a, n, 0);
      one.b = part(whole.b, 0, o);
      one.rows = std::min(tile, whole.rows - n);
      one.columns = std::min(tile, whole.columns - o);
      all.push_back(one);
    }
}

/// One head of one sample. Queries, keys and values are `width` apart in rows
/// of 3C, and so are their gradients.
struct attention_head {
  float* qkv;           // [T, 3C]
  float* probabilities; // [T, T]
  float* y;             // [T, C]
  const float* d_y;     // [T, C]
  float* d_qkv;         // [T, 3C]
  float* d_scores;      // [T, T]

  static constexpr auto stride = 3 * width;
  static constexpr auto size = width / heads;

  matrix_view key() const { return {qkv + width, stride}; }
  matrix_view value() const { return {qkv + 2 * width, stride}; }

  /// Of the queries [begin, end), which see no key from `end` on.
  void add_forward(std::vector<product>& all, std::int64_t begin,
                   std::int64_t end) const {
    auto* p = probabilities + begin * sequence;
    all.push_back({p,
                   sequence,
                   {qkv + begin * stride, stride},
                   transposed(key()),
                   end - begin,
                   end,
                   size,
                   false});
    all.push_back({y + begin * width,
                   width,
                   {p, sequence},
                   value(),
                   end - begin,
                   size,
                   end,
                   false});
  }

  void add_backward(std::vector<product>& all, std::int64_t begin,
                    std::int64_t end) const {
    const matrix_view d_y_block{d_y + begin * width, width};
    const matrix_view query{qkv + begin * stride, stride};
    const matrix_view p{probabilities + begin * sequence, sequence};
    const matrix_view d_p{d_scores, end};
    all.push_back({d_scores, end, d_y_block, transposed(value()), end - begin,
                   end, size, false});
    all.push_back({d_qkv + begin * stride, stride, d_p, key(), end - begin,
                   size, end, false});
    // Keys of earlier queries have gradients, to which these are added.
    for (const auto& [from, to] :
         {std::pair{std::int64_t{0}, begin}, std::pair{begin, end}}) {
      auto* d_key = d_qkv + width + from * stride;
      const auto is_known = to == begin;
      all.push_back({d_key, stride, transposed(part(d_p, 0, from)), query,
                     to - from, size, end - begin, is_known});
      all.push_back({d_key + width, stride, transposed(part(p, 0, from)),
                     d_y_block, to - from, size, end - begin, is_known});
    }
  }
};

} // namespace

void run(const std::vector<product>& products) {
  for (const auto& x : products)
    sgemm(x.c, x.c_stride, x.a, x.b, x.rows, x.columns, x.inner, x.accumulate);
}

double flops_of(const std::vector<product>& products) {
  double sum = 0;
  for (const auto& x : products)
    sum += 2.0 * static_cast<double>(x.rows) * static_cast<double>(x.columns)
         * static_cast<double>(x.inner);
  return sum;
}

gpt_products::gpt_products(std::int64_t micro_batches)
  : micro_batches_(micro_batches), samples_(gpt::samples / micro_batches),
    weights_(layers * widest * width, any_value),
    d_weights_(weights_.size(), 0.0F),
    inputs_(micro_batches * layers * samples_ * sequence * widest, any_value),
    outputs_(inputs_.size(), any_value),
    probabilities_(micro_batches * depth * samples_ * heads * sequence
                     * sequence,
                   any_value),
    near_(samples_ * sequence * widest, any_value),
    made_(near_.size(), any_value) {}

struct gpt_products::builder {
  gpt_products& of;
  product_style style;
  std::vector<product> all{};
  std::int64_t N = of.samples_ * sequence;

  float* input(std::int64_t m, std::int64_t layer) const {
    return of.inputs_.data() + (m * layers + layer) * N * widest;
  }

  float* output(std::int64_t m, std::int64_t layer) const {
    return of.outputs_.data() + (m * layers + layer) * N * widest;
  }

  void add(const product& x) {
    if (style.tiled)
      add_tiles(all, x);
    else
      all.push_back(x);
  }

  void add_linear_forward(std::int64_t m, std::int64_t layer) {
    const auto [I, O] = layer_at(layer);
    auto* w = of.weights_.data() + layer * widest * width; // [O, I]
    add({output(m, layer),
         O,
         {of.near_.data(), I},
         {w, I, true},
         N,
         O,
         I,
         false});
  }

  void add_linear_backward(std::int64_t m, std::int64_t layer) {
    const auto [I, O] = layer_at(layer);
    auto* w = of.weights_.data() + layer * widest * width;     // [O, I]
    auto* d_w = of.d_weights_.data() + layer * widest * width; // [O, I]
    const matrix_view d_y{of.near_.data(), O};
    add({of.made_.data(), I, d_y, {w, I}, N, I, O, false});
    add({d_w, I, transposed(d_y), {input(m, layer), I}, O, I, N, true});
  }

  /// Calls `f(head, begin, end)` for every block of queries of every head.
  template <class F>
  void for_heads(std::int64_t m, std::int64_t block, F f) {
    const auto queries = style.causal_blocks ? block_queries : sequence;
    auto* p = of.probabilities_.data()
            + (m * depth + block) * of.samples_ * heads * sequence * sequence;
    for (std::int64_t b = 0; b < of.samples_; ++b)
      for (std::int64_t h = 0; h < heads; ++h) {
        const auto row = b * sequence;
        const auto column = h * attention_head::size;
        const attention_head head{
          output(m, 4 * block) + row * 3 * width + column,
          p + (b * heads + h) * sequence * sequence,
          input(m, 4 * block + 1) + row * width + column,
          of.near_.data() + row * width + column,
          of.made_.data() + row * 3 * width + column,
          of.made_.data() + N * 3 * width};
        for (std::int64_t begin = 0; begin < sequence; begin += queries)
          f(head, begin, begin + queries);
      }
  }

  void add_forward(std::int64_t m) {
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      add_linear_forward(m, layer);
      if (is_before_attention(layer))
        for_heads(m, layer / 4, [&](const auto& head, auto begin, auto end) {
          head.add_forward(all, begin, end);
        });
    }
  }

  void add_backward(std::int64_t m) {
    for (auto layer = layers - 1; layer >= 0; --layer) {
      if (is_before_attention(layer))
        for_heads(m, layer / 4, [&](const auto& head, auto begin, auto end) {
          head.add_backward(all, begin, end);
        });
      add_linear_backward(m, layer);
    }
  }
};

std::vector<product> gpt_products::step(const product_style& style) {
  builder result{*this, style};
  for (std::int64_t m = 0; m < micro_batches_; ++m)
    result.add_forward(m);
  for (std::int64_t m = 0; m < micro_batches_; ++m)
    result.add_backward(m);
  return std::move(result.all);
}

} // namespace actorpipe::benchmarks
