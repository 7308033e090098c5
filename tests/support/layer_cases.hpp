// SPDX-License-Identifier: Apache-2.0
/// One case per way to configure each layer of the project, shared by the
/// gradient check and by the comparison of devices.
#pragma once

#include "compute/layers/layer_registry.hpp"
#include "tests/support/test_tensors.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace actorpipe::test {

struct layer_case {
  std::string name;
  layer_spec spec;
  shape input;
  std::int32_t tokens = 0; ///< above 0: the input is i32 below it

  tensor_list inputs(dtype type) const {
    return {tokens > 0 ? random_tokens(input, tokens, 1)
                       : random_tensor({type, input}, 1)};
  }

  friend std::ostream& operator<<(std::ostream& out, const layer_case& x) {
    return out << x.name;
  }
};

inline layer_spec linear_spec(std::int64_t inputs, std::int64_t outputs,
                              std::map<std::string, spec_value> more = {}) {
  more["inputs"] = inputs;
  more["outputs"] = outputs;
  return {"linear", "linear", std::move(more), {}};
}

inline layer_spec norm_spec(std::int64_t width) {
  return {"layer_norm", "norm", {{"width", width}}, {}};
}

inline layer_spec dropout_spec(double p) {
  return {"dropout", "dropout", {{"p", p}}, {}};
}

inline layer_spec attention_spec(std::int64_t width, std::int64_t heads,
                                 bool bias = true) {
  return {"attention",
          "attention",
          {{"width", width}, {"heads", heads}, {"bias", bias}},
          {}};
}

inline layer_spec embedding_spec(std::int64_t vocabulary, std::int64_t width,
                                 std::int64_t positions, double dropout = 0) {
  return {"embedding",
          "embedding",
          {{"vocabulary", vocabulary},
           {"width", width},
           {"positions", positions},
           {"dropout", dropout}},
          {}};
}

inline layer_spec residual_spec(std::vector<layer_spec> inside) {
  return {"residual", "residual", {}, std::move(inside)};
}

inline std::vector<layer_case> layer_cases() {
  const auto named = [](const char* name) { return std::string(name); };
  return {
    {"embedding", embedding_spec(7, 4, 0), {2, 3}, 7},
    {"embedding_with_positions", embedding_spec(7, 4, 5), {2, 3}, 7},
    {"embedding_with_dropout", embedding_spec(7, 4, 5, 0.3), {2, 3}, 7},
    {"linear", linear_spec(5, 4), {3, 5}},
    {"linear_in_three_dimensions", linear_spec(5, 4), {2, 3, 5}},
    {"linear_without_bias", linear_spec(5, 4, {{"bias", false}}), {3, 5}},
    {"linear_gelu",
     linear_spec(5, 4, {{"activation", named("gelu")}}),
     {2, 3, 5}},
    {"linear_relu", linear_spec(5, 4, {{"activation", named("relu")}}), {3, 5}},
    {"linear_tanh", linear_spec(5, 4, {{"activation", named("tanh")}}), {3, 5}},
    {"layer_norm", norm_spec(6), {2, 3, 6}},
    {"attention_of_one_head", attention_spec(6, 1), {2, 4, 6}},
    {"attention_of_three_heads", attention_spec(6, 3), {2, 4, 6}},
    {"attention_without_bias", attention_spec(6, 2, false), {1, 5, 6}},
    {"dropout", dropout_spec(0.4), {3, 4, 2}},
    {"gelu", {"gelu", "", {}, {}}, {3, 4}},
    {"relu", {"relu", "", {}, {}}, {3, 4}},
    {"tanh", {"tanh", "", {}, {}}, {3, 4}},
    {"residual",
     residual_spec(
       {norm_spec(6),
        linear_spec(6, 9, {{"activation", named("gelu")}}),
        {"linear",
         "down",
         {{"inputs", std::int64_t{9}}, {"outputs", std::int64_t{6}}},
         {}},
        dropout_spec(0.3)}),
     {2, 3, 6}},
    {"residual_around_nothing_but_dropout_of_zero",
     residual_spec({dropout_spec(0)}),
     {2, 3}},
    {"residual_inside_residual",
     residual_spec({norm_spec(4), residual_spec({attention_spec(4, 2)}),
                    dropout_spec(0.2)}),
     {2, 3, 4}},
  };
}

inline std::unique_ptr<layer> make_layer(const layer_spec& spec) {
  return layer_registry::with_builtin().make(spec);
}

} // namespace actorpipe::test
