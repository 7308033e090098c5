// SPDX-License-Identifier: Apache-2.0
/// One sum over all parameters of a model.
#include "compute/io/parameter_digest.hpp"

#include "compute/io/sha256.hpp"

#include <bit>
#include <map>
#include <stdexcept>

namespace actorpipe {

static_assert(std::endian::native == std::endian::little);

std::string parameters_sha256(const std::vector<named_tensor>& parameters) {
  std::map<std::string_view, const tensor*> by_name;
  for (const auto& [name, value] : parameters) {
    if (value.element() != dtype::f32)
      throw std::invalid_argument("parameter " + name + " is not f32");
    if (!by_name.emplace(name, &value).second)
      throw std::invalid_argument("parameter " + name + " stands twice");
  }
  sha256 sum;
  const auto add_number = [&](std::uint64_t number) {
    sum.add(&number, sizeof number);
  };
  for (const auto& [name, value] : by_name) {
    add_number(name.size());
    sum.add(name);
    add_number(value->extents().rank());
    for (const auto extent : value->extents().extents())
      add_number(static_cast<std::uint64_t>(extent));
    sum.add(value->bytes(), static_cast<std::size_t>(value->size_bytes()));
  }
  return sum.finish();
}

} // namespace actorpipe
