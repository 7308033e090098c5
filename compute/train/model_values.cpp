// SPDX-License-Identifier: Apache-2.0
/// The first version of a model, and its view by layer.
#include "compute/train/model_values.hpp"

#include "compute/train/initial_values.hpp"

namespace actorpipe {

model_values initial_values(const model& source, const optimizer& how,
                            operations& ops, std::uint64_t seed) {
  model_values result;
  for (const auto& parameter : source.parameters())
    result.parameters.push_back(
      initial_value(parameter.declaration, how, ops, seed));
  for (std::size_t i = 0; i < source.size(); ++i)
    result.states.push_back(initial_states(source.at(i), ops));
  return result;
}

cell_weights gather_weights(const model& source, const model_values& values) {
  cell_weights result(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    result[i].parameters.resize(source.at(i).parameters().size());
    result[i].states = values.states.at(i);
  }
  for (std::size_t i = 0; i < source.parameters().size(); ++i)
    for (const auto& [layer, index] : source.parameters()[i].uses)
      result[layer].parameters[index] = values.parameters.at(i).weight;
  return result;
}

} // namespace actorpipe
