// SPDX-License-Identifier: Apache-2.0
/// Causal attention, one head of one sample a piece, in blocks of queries whose
/// products leave out the keys that no query of the block sees.
#include "compute/cpu/cpu_operations.hpp"
#include "compute/cpu/kernels/softmax.hpp"
#include "compute/cpu/pieces.hpp"
#include "compute/cpu/scratch.hpp"
#include "compute/cpu/sgemm.hpp"
#include "compute/ops/preconditions.hpp"

#include <algorithm>
#include <cmath>

namespace actorpipe {
namespace {

constexpr std::int64_t block_queries = 64;

/// The extents of one call, and where a head's values start.
struct attention_shape {
  std::int64_t samples;  ///< B
  std::int64_t sequence; ///< T
  std::int64_t width;    ///< C
  std::int64_t heads;    ///< H

  attention_shape(const tensor& y, std::int64_t head_count)
    : samples(y.extents()[0]), sequence(y.extents()[1]), width(y.extents()[2]),
      heads(head_count) {}

  std::int64_t pieces() const { return samples * heads; }
  std::int64_t head_size() const { return width / heads; }
  float scale() const {
    return 1.0F / std::sqrt(static_cast<float>(head_size()));
  }

  /// Of y[B, T, C]; rows are `width` apart.
  std::int64_t y_offset(std::int64_t piece) const {
    return piece / heads * sequence * width + piece % heads * head_size();
  }
  /// Of the queries in qkv[B, T, 3C]; keys follow `width` later, then values.
  std::int64_t qkv_offset(std::int64_t piece) const {
    return piece / heads * sequence * 3 * width + piece % heads * head_size();
  }
  std::int64_t probabilities_offset(std::int64_t piece) const {
    return piece * sequence * sequence;
  }
};

/// Keys [from, to), and whether their gradients have been written before.
struct key_range {
  std::int64_t from;
  std::int64_t to;
  bool known;
};

/// A block of queries: [begin, end), which see the keys [0, end).
template <class F>
void for_blocks(std::int64_t sequence, F f) {
  for (std::int64_t begin = 0; begin < sequence; begin += block_queries)
    f(begin, std::min(sequence, begin + block_queries));
}

} // namespace

void cpu_operations::attention_forward(const attention_args& args) {
  require_attention(args.qkv, args.y, args.probabilities, args.heads);
  const attention_shape at(args.y, args.heads);
  const auto size = at.head_size();
  const auto width = at.width;
  auto* y_values = writable_floats(args.y);
  auto* p_values = writable_floats(args.probabilities);
  const auto* qkv_values = floats(args.qkv);
  workers_.parallel_for(at.pieces(), [&](std::int64_t piece) {
    const auto* q = qkv_values + at.qkv_offset(piece);
    const auto* k = q + width;
    const auto* v = k + width;
    auto* p = p_values + at.probabilities_offset(piece);
    auto* y_head = y_values + at.y_offset(piece);
    for_blocks(at.sequence, [&](std::int64_t begin, std::int64_t end) {
      auto* p_block = p + begin * at.sequence;
      sgemm(p_block, at.sequence, {q + begin * 3 * width, 3 * width},
            {k, 3 * width, true}, end - begin, end, size, false);
      kernels::causal_softmax(p_block, at.scale(), begin, end - begin,
                              at.sequence);
      sgemm(y_head + begin * width, width, {p_block, at.sequence},
            {v, 3 * width}, end - begin, size, end, false);
    });
  });
}

void cpu_operations::attention_backward(const attention_backward_args& args) {
  require_attention(args.qkv, args.d_y, args.probabilities, args.heads);
  require_alike(args.qkv, args.d_qkv);
  const attention_shape at(args.d_y, args.heads);
  const auto size = at.head_size();
  const auto width = at.width;
  const auto stride = 3 * width;
  const auto* d_y_values = floats(args.d_y);
  const auto* qkv_values = floats(args.qkv);
  const auto* p_values = floats(args.probabilities);
  auto* d_qkv_values = writable_floats(args.d_qkv);
  workers_.parallel_for(at.pieces(), [&](std::int64_t piece) {
    const auto* q = qkv_values + at.qkv_offset(piece);
    const auto* k = q + width;
    const auto* v = k + width;
    auto* d_q = d_qkv_values + at.qkv_offset(piece);
    auto* d_k = d_q + width;
    auto* d_v = d_k + width;
    const auto* p = p_values + at.probabilities_offset(piece);
    const auto* d_y = d_y_values + at.y_offset(piece);
    scratch d_scores(*memory_, block_queries * at.sequence);
    for_blocks(at.sequence, [&](std::int64_t begin, std::int64_t end) {
      const auto queries = end - begin;
      const auto* p_block = p + begin * at.sequence;
      const auto* d_y_block = d_y + begin * width;
      const auto* q_block = q + begin * stride;
      sgemm(d_scores.data(), end, {d_y_block, width}, {v, stride, true},
            queries, end, size, false);
      kernels::causal_softmax_backward(d_scores.data(), end, p_block,
                                       at.sequence, at.scale(), begin, queries,
                                       end);
      sgemm(d_q + begin * stride, stride, {d_scores.data(), end}, {k, stride},
            queries, size, end, false);
      // The keys of earlier blocks have gradients already; this block's own
      // get their first.
      for (const auto& [from, to, known] :
           {key_range{0, begin, true}, key_range{begin, end, false}}) {
        sgemm(d_k + from * stride, stride, {d_scores.data() + from, end, true},
              {q_block, stride}, to - from, size, queries, known);
        sgemm(d_v + from * stride, stride, {p_block + from, at.sequence, true},
              {d_y_block, width}, to - from, size, queries, known);
      }
    });
  });
}

} // namespace actorpipe
