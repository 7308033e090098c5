// SPDX-License-Identifier: Apache-2.0
/// Small models and mini-batches for tests.
#pragma once

#include "compute/data/batch.hpp"
#include "compute/model/gpt.hpp"
#include "compute/model/model.hpp"
#include "tests/support/test_layers.hpp"
#include "tests/support/test_tensors.hpp"

#include <memory>

namespace actorpipe::test {

/// V = 11, T = 6, C = 8, two blocks.
inline gpt_options small_gpt(double dropout = 0, bool tied = false) {
  gpt_options result;
  result.vocabulary = 11;
  result.sequence = 6;
  result.width = 8;
  result.depth = 2;
  result.heads = 2;
  result.dropout = dropout;
  result.tied = tied;
  return result;
}

/// Tokens and targets [B, 6] below 11.
inline batch small_batch(std::int64_t samples, std::uint64_t seed = 1) {
  return {{random_tokens({samples, 6}, 11, seed)},
          random_tokens({samples, 6}, 11, seed + 1)};
}

/// A linear layer, a running mean, and a linear layer: [B, 3] -> logits [B, 4].
inline model_spec perceptron_with_state() {
  const std::int64_t in = 3, width = 5, classes = 4;
  return {
    {{"linear",
      "first",
      {{"inputs", in}, {"outputs", width}, {"activation", std::string("tanh")}},
      {}},
     {"running_mean", "mean", {{"width", width}}, {}},
     {"linear", "second", {{"inputs", width}, {"outputs", classes}}, {}}},
    {"softmax_cross_entropy", "", {}, {}}};
}

inline batch perceptron_batch(std::int64_t samples, std::uint64_t seed = 1) {
  return {{random_tensor({dtype::f32, {samples, 3}}, seed)},
          random_tokens({samples}, 4, seed)};
}

} // namespace actorpipe::test
