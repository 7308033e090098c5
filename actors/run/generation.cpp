// SPDX-License-Identifier: Apache-2.0
/// Sampling byte by byte.
#include "actors/run/generation.hpp"

#include "compute/ops/random_key.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace actorpipe {

std::int64_t draw_token(const float* logits, std::int64_t vocabulary,
                        double temperature, double uniform) {
  const auto* const end = logits + vocabulary;
  const auto* const likeliest = std::max_element(logits, end);
  if (temperature <= 0)
    return likeliest - logits;
  std::vector<double> weights;
  double total = 0;
  for (const auto* x = logits; x != end; ++x) {
    weights.push_back(
      std::exp((static_cast<double>(*x) - *likeliest) / temperature));
    total += weights.back();
  }
  double left = uniform * total;
  for (std::int64_t i = 0; i < vocabulary; ++i) {
    left -= weights[static_cast<std::size_t>(i)];
    if (left < 0)
      return i;
  }
  return likeliest - logits;
}

std::string generate_text(sequential_trainer& with,
                          const generation_options& options,
                          const std::function<void(char)>& on_byte) {
  if (options.prompt.empty())
    throw std::invalid_argument("the prompt has at least one byte");
  if (options.tokens < 0)
    throw std::invalid_argument("the number of tokens is at least 0, not "
                                + std::to_string(options.tokens));
  if (!(options.temperature >= 0) || !std::isfinite(options.temperature))
    throw std::invalid_argument("the temperature is at least 0, not "
                                + std::to_string(options.temperature));
  const auto key = make_random_key(options.seed, "generation");
  std::string text = options.prompt;
  for (std::int64_t i = 0; i < options.tokens; ++i) {
    const auto length = std::min<std::int64_t>(
      options.sequence, static_cast<std::int64_t>(text.size()));
    const std::vector<std::uint8_t> window(text.end() - length, text.end());
    const auto y = with.infer({tensor::from({1, length}, window)});
    if (y.size() != 1 || y[0].element() != dtype::f32
        || y[0].extents().rank() != 3)
      throw model_error("a language model puts out logits f32[B, T, V], not "
                        + to_string(types_of(y)));
    const auto vocabulary = y[0].extents().back();
    const auto drawn = draw(key, static_cast<std::uint64_t>(i), 0);
    const auto bits =
      std::uint64_t{drawn.values[0]} << 21 | drawn.values[1] >> 11;
    const auto token =
      draw_token(y[0].data<float>() + (length - 1) * vocabulary, vocabulary,
                 options.temperature, static_cast<double>(bits) * 0x1p-53);
    if (token > 255)
      throw model_error("token " + std::to_string(token) + " is not a byte");
    text.push_back(static_cast<char>(token));
    on_byte(text.back());
  }
  return text.substr(options.prompt.size());
}

} // namespace actorpipe
