// SPDX-License-Identifier: Apache-2.0
/// The comparison of what layers returned with what they declared.
#include "compute/layers/layer_results.hpp"

#include "compute/layers/model_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace actorpipe {

namespace {

std::string describe(const tensor_list& xs) {
  std::string result;
  for (const auto& x : xs)
    result += (result.empty() ? "" : ", ")
            + (x.defined() ? to_string(x.type()) : "undefined");
  return "(" + result + ")";
}

bool have_types(const tensor_list& xs, const std::vector<tensor_type>& types) {
  return std::equal(xs.begin(), xs.end(), types.begin(), types.end(),
                    [](const tensor& x, const tensor_type& type) {
                      return x.defined() && x.type() == type;
                    });
}

} // namespace

void require_results(const layer& what, const layer_context& ctx,
                     const std::vector<tensor_type>& inputs,
                     const layer_outputs& got) {
  const auto declared = what.outputs(inputs);
  if (!have_types(got.outputs, declared))
    throw model_error(fmt::format(
      "returned {} from its forward, but declares {} for {}",
      describe(got.outputs), to_string(declared), to_string(inputs)));
  if (ctx.recomputing)
    return;
  std::vector<tensor_type> contributions;
  if (ctx.mode == run_mode::train)
    for (const auto& state : what.states())
      contributions.push_back({dtype::f32, state.contribution});
  if (!have_types(got.contributions, contributions))
    throw model_error(fmt::format("contributed {} to its states, which take {}",
                                  describe(got.contributions),
                                  to_string(contributions)));
}

void require_gradients(const std::vector<tensor_type>& of,
                       const tensor_list& got, bool needs) {
  const auto fits = [&](const tensor& d_x, const tensor_type& x) {
    if (!d_x.defined())
      return !needs || !is_differentiable(x.type);
    return is_differentiable(x.type) && d_x.type() == x;
  };
  if (!std::equal(got.begin(), got.end(), of.begin(), of.end(), fits))
    throw model_error(fmt::format("returned the gradients {} for {}",
                                  describe(got), to_string(of)));
}

void require_loss_sum(const tensor& got) {
  if (!have_types({got}, {{dtype::f64, {1}}}))
    throw model_error(
      fmt::format("returned {} from its forward, but a sum of losses is f64[1]",
                  describe({got})));
}

} // namespace actorpipe
