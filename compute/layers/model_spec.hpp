// SPDX-License-Identifier: Apache-2.0
/// A model as data: what a run file writes and what is sent to a process.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace actorpipe {

/// A model that cannot be built or run as described. The message says which
/// layer, what was got, and what is allowed.
class model_error : public std::invalid_argument {
public:
  using std::invalid_argument::invalid_argument;
};

using spec_value = std::variant<bool, std::int64_t, double, std::string>;

/// One layer: its kind, a name, its numbers, and the layers inside it.
struct layer_spec {
  std::string kind;
  std::string name; ///< empty: made from the position
  std::map<std::string, spec_value> values;
  std::vector<layer_spec> layers;

  friend bool operator==(const layer_spec&, const layer_spec&) = default;
};

struct model_spec {
  std::vector<layer_spec> layers;
  layer_spec loss;

  friend bool operator==(const model_spec&, const model_spec&) = default;
};

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
