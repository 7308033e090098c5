// SPDX-License-Identifier: Apache-2.0
/// The expansion of the decoder-only Transformer, with GPT-2's initial values:
/// normal with deviation 0.02, and 0.02 / sqrt(2 depth) for what is added to
/// the residual stream.
#include "compute/model/gpt.hpp"

#include "compute/layers/spec_reader.hpp"

#include <fmt/format.h>

#include <cmath>

namespace actorpipe {

namespace {

constexpr double deviation = 0.02;

void check(const gpt_options& x) {
  // What the preset multiplies stays an integer that a layer takes.
  constexpr auto most = spec_reader::greatest_integer / 4;
  const auto positive = [most](const char* key, std::int64_t got) {
    if (got < 1 || got > most)
      throw model_error(
        fmt::format("gpt: '{}' must be from 1 to {}, got {}", key, most, got));
  };
  positive("vocabulary", x.vocabulary);
  positive("sequence", x.sequence);
  positive("width", x.width);
  positive("depth", x.depth);
  positive("heads", x.heads);
  if (x.width % x.heads != 0)
    throw model_error(
      fmt::format("gpt: 'width' must be divisible by 'heads', got {} and {}",
                  x.width, x.heads));
  if (!(x.dropout >= 0 && x.dropout < 1))
    throw model_error(fmt::format(
      "gpt: 'dropout' must be at least 0 and below 1, got {}", x.dropout));
}

layer_spec norm(const gpt_options& x, std::string name) {
  return {"layer_norm", std::move(name), {{"width", x.width}}, {}};
}

/// `part` after a norm and before dropout, inside a residual connection.
layer_spec around(const gpt_options& x, const std::string& block,
                  const std::string& part, std::vector<layer_spec> layers) {
  layers.insert(layers.begin(), norm(x, part + "_norm"));
  if (x.dropout > 0)
    layers.push_back({"dropout", part + "_dropout", {{"p", x.dropout}}, {}});
  return {
    "residual", block + "." + part, {{"scope", block}}, std::move(layers)};
}

layer_spec attention_part(const gpt_options& x, const std::string& block,
                          double output_deviation) {
  return around(x, block, "attention",
                {{"attention",
                  "attention",
                  {{"width", x.width},
                   {"heads", x.heads},
                   {"deviation", deviation},
                   {"output_deviation", output_deviation}},
                  {}}});
}

layer_spec mlp_part(const gpt_options& x, const std::string& block,
                    double output_deviation) {
  return around(x, block, "mlp",
                {{"linear",
                  "mlp.up",
                  {{"inputs", x.width},
                   {"outputs", 4 * x.width},
                   {"activation", std::string("gelu")},
                   {"deviation", deviation}},
                  {}},
                 {"linear",
                  "mlp.down",
                  {{"inputs", 4 * x.width},
                   {"outputs", x.width},
                   {"deviation", output_deviation}},
                  {}}});
}

} // namespace

model_spec make_gpt(const gpt_options& x) {
  check(x);
  const auto output_deviation =
    deviation / std::sqrt(2 * static_cast<double>(x.depth));
  model_spec result;
  result.layers.push_back({"embedding",
                           "embedding",
                           {{"vocabulary", x.vocabulary},
                            {"width", x.width},
                            {"positions", x.sequence},
                            {"deviation", deviation},
                            {"dropout", x.dropout}},
                           {}});
  for (std::int64_t i = 0; i < x.depth; ++i) {
    const auto block = "block" + std::to_string(i);
    result.layers.push_back(attention_part(x, block, output_deviation));
    result.layers.push_back(mlp_part(x, block, output_deviation));
  }
  result.layers.push_back(norm(x, "norm"));
  layer_spec head{
    "linear",
    "head",
    {{"inputs", x.width}, {"outputs", x.vocabulary}, {"bias", false}},
    {}};
  if (x.tied)
    head.values["tie"] = std::string("embedding.tokens.weight");
  else
    head.values["deviation"] = deviation;
  result.layers.push_back(std::move(head));
  result.loss = {"softmax_cross_entropy", "loss", {}, {}};
  return result;
}

} // namespace actorpipe
