// SPDX-License-Identifier: Apache-2.0
/// Turns whatever a layer throws into a `layer_error` that names the layer.
#pragma once

#include "compute/model/layer_error.hpp"
#include "compute/model/model.hpp"

#include <cstddef>
#include <exception>
#include <utility>

namespace actorpipe {

/// Returns `call()`, made on behalf of layer `index` of `source`; the number of
/// layers stands for the loss. Throws `layer_error`.
template <class Call>
auto guarded(const model& source, std::size_t index, Call&& call) {
  const auto name = [&] {
    return index < source.size() ? source.name(index) : "loss";
  };
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception& error) {
    throw layer_error(index, name(), error.what());
  } catch (...) {
    throw layer_error(index, name(), "threw something that is no exception");
  }
}

} // namespace actorpipe
