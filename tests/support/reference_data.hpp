// SPDX-License-Identifier: Apache-2.0
/// The model and data that tests/reference_data/make_reference.py computes
/// with, and what it found.
#pragma once

#include "compute/data/batch.hpp"
#include "compute/model/gpt.hpp"
#include "compute/model/model.hpp"
#include "compute/train/model_values.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace actorpipe::test {

/// Reads a file of tests/reference_data.
inline nlohmann::json read_reference(const std::string& name) {
  std::ifstream in(ACTORPIPE_SOURCE_DIR "/tests/reference_data/" + name);
  if (!in)
    throw std::runtime_error("cannot read " + name);
  return nlohmann::json::parse(in);
}

/// Numbers in [-0.5, 0.5) that depend on (name, index) alone, scaled.
inline tensor reference_tensor(const std::string& name, const shape& extents,
                               double scale, double offset = 0) {
  std::int64_t start = 0;
  for (std::size_t k = 0; k < name.size(); ++k)
    start += static_cast<std::int64_t>(k + 1) * name[k];
  std::vector<float> values;
  for (std::int64_t i = 0; i < extents.elements(); ++i) {
    const auto x = static_cast<double>((start + 7919 * i) % 1009) / 1009 - 0.5;
    values.push_back(static_cast<float>(x * scale + offset));
  }
  return tensor::from(extents, values);
}

inline gpt_options reference_gpt(bool tied) {
  gpt_options result;
  result.vocabulary = 13;
  result.sequence = 8;
  result.width = 16;
  result.depth = 2;
  result.heads = 4;
  result.tied = tied;
  return result;
}

/// Replaces the weights of `values`; moments stay as they are.
inline model_values reference_values(const model& source, model_values values) {
  for (std::size_t i = 0; i < values.parameters.size(); ++i) {
    const auto& declared = source.parameters()[i].declaration;
    const bool is_gain = declared.name.ends_with("norm.weight");
    values.parameters[i].weight = reference_tensor(
      declared.name, declared.extents, 0.6, is_gain ? 1.0 : 0.0);
  }
  return values;
}

/// Five samples; some targets do not count.
inline batch reference_batch() {
  constexpr std::int32_t V = 13, T = 8, B = 5;
  std::vector<std::int32_t> tokens, targets;
  for (std::int32_t i = 0; i < B * T; ++i) {
    tokens.push_back((5 * i + 3 * i * i + 2) % V);
    const bool ignored = i % 7 == 0 || (i >= 3 * T && i < 3 * T + 5);
    targets.push_back(ignored ? -1 : (7 * i + i * i + 1) % V);
  }
  return {{tensor::from({B, T}, tokens)}, tensor::from({B, T}, targets)};
}

} // namespace actorpipe::test
