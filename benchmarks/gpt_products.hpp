// SPDX-License-Identifier: Apache-2.0
/// The bare matrix products of one training step of the language model.
#pragma once

#include "compute/cpu/sgemm.hpp"

#include <cstdint>
#include <vector>

namespace actorpipe::benchmarks {

/// The arguments of one `sgemm`.
struct product {
  float* c;
  std::int64_t c_stride;
  matrix_view a;
  matrix_view b;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t inner;
  bool accumulate;
};

void run(const std::vector<product>& products);

double flops_of(const std::vector<product>& products);

/// How the products of a step are cut.
struct product_style {
  /// Of linear layers: in tiles of the result, as the operations of the CPU
  /// issue them; else whole.
  bool tiled = true;
  /// Of attention: blocks in which some query sees some key, as the operations
  /// of the CPU do; else all pairs of query and key.
  bool causal_blocks = true;
};

/// The products of a step in its order, every forward and then every backward,
/// and the memory that they read and write. That lies as in training: what is
/// kept for the backward is each layer's and micro-batch's own, what is used up
/// at once is shared, and so is near.
class gpt_products {
public:
  explicit gpt_products(std::int64_t micro_batches);

  std::vector<product> step(const product_style& style);

private:
  struct builder;

  std::int64_t micro_batches_; ///< M
  std::int64_t samples_;       ///< B / M
  std::vector<float> weights_;
  std::vector<float> d_weights_;
  std::vector<float> inputs_;        ///< [M, layers, N, widest]
  std::vector<float> outputs_;       ///< [M, layers, N, widest]
  std::vector<float> probabilities_; ///< [M, blocks, B / M, H, T, T]
  std::vector<float> near_;          ///< [N, widest], read as if just made
  std::vector<float> made_;          ///< [N, widest], written to be used up
};

} // namespace actorpipe::benchmarks
