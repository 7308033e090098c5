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

  double flops() const {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(columns)
         * static_cast<double>(inner);
  }
};

/// Products of one micro-batch of `samples` samples, forward and backward, and
/// the memory that they read and write. Weights and their gradients are each
/// layer's own, as in training; values that pass through are shared, so that
/// they are near.
class gpt_products {
public:
  explicit gpt_products(std::int64_t micro_batch_samples);

  /// Of all linear layers: whole, or in tiles of the result as the operations
  /// of the CPU issue them.
  std::vector<product> linear(bool tiled);

  /// Of attention: per head all pairs of query and key, or only blocks in
  /// which some query sees some key, as the operations of the CPU do.
  std::vector<product> attention(bool causal_blocks);

private:
  std::int64_t samples_;
  std::vector<float> weights_;
  std::vector<float> d_weights_;
  std::vector<float> inputs_;        // [N, 4C]
  std::vector<float> outputs_;       // [N, 4C]
  std::vector<float> d_values_;      // [N, 4C]
  std::vector<float> probabilities_; // [B, H, T, T]
};

void run(const std::vector<product>& products);

double flops_of(const std::vector<product>& products);

} // namespace actorpipe::benchmarks
