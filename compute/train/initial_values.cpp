// SPDX-License-Identifier: Apache-2.0
/// Drawing of initial values.
#include "compute/train/initial_values.hpp"

namespace actorpipe {

parameter_value initial_value(const parameter_use& declaration,
                              const optimizer& how, operations& ops,
                              std::uint64_t seed) {
  const tensor_type type{dtype::f32, declaration.extents};
  const auto key = make_random_key(seed, declaration.name);
  parameter_value result{ops.make(type), {}};
  const auto value = declaration.initial.value;
  switch (declaration.initial.how) {
  case initializer::kind::constant:
    ops.fill(result.weight, value);
    break;
  case initializer::kind::normal:
    ops.fill_normal(result.weight, value, key);
    break;
  case initializer::kind::uniform:
    ops.fill_uniform(result.weight, value, key);
    break;
  }
  for (std::size_t i = 0; i < how.slots().size(); ++i)
    result.slots.push_back(ops.make_zeros(type));
  return result;
}

tensor_list initial_states(const layer& source, operations& ops) {
  tensor_list result;
  for (const auto& use : source.states()) {
    result.push_back(ops.make({dtype::f32, use.extents}));
    ops.fill(result.back(), use.initial);
  }
  return result;
}

} // namespace actorpipe
