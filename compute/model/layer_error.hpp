// SPDX-License-Identifier: Apache-2.0
/// The error of a layer that failed while it ran.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace actorpipe {

/// What a layer threw, with the layer named.
class layer_error : public std::runtime_error {
public:
  layer_error(std::size_t layer, std::string name, const std::string& what)
    : std::runtime_error("layer " + std::to_string(layer) + " (" + name
                         + "): " + what),
      layer_(layer), name_(std::move(name)) {}

  /// Index in the model; the number of layers stands for the loss.
  std::size_t layer() const noexcept { return layer_; }
  const std::string& name() const noexcept { return name_; }

private:
  std::size_t layer_;
  std::string name_;
};

} // namespace actorpipe
