// SPDX-License-Identifier: Apache-2.0
/// The preset of a decoder-only Transformer.
#pragma once

#include "compute/layers/model_spec.hpp"

#include <cstdint>

namespace actorpipe {

/// A decoder-only Transformer with the norm before each part (Radford et al.
/// 2019, "Language models are unsupervised multitask learners"). All but the
/// first (embedding) and the last two layers (norm, head) come in pairs: an
/// attention and a feed-forward part, each inside a residual connection. So
/// there are 1 + 2 depth + 2 layers, with or without dropout.
struct gpt_options {
  std::int64_t vocabulary = 256; ///< V
  std::int64_t sequence = 128;   ///< T: the longest
  std::int64_t width = 256;      ///< C
  std::int64_t depth = 8;        ///< pairs
  std::int64_t heads = 4;        ///< H; divides C
  double dropout = 0;
  bool tied = false; ///< the head uses the token embedding's table
};

/// Expands the preset. Throws `model_error`.
model_spec make_gpt(const gpt_options& options);

} // namespace actorpipe
