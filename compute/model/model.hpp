// SPDX-License-Identifier: Apache-2.0
/// A model: a sequence of layers and a loss, built from a spec.
#pragma once

#include "compute/layers/layer.hpp"
#include "compute/layers/layer_registry.hpp"
#include "compute/layers/loss.hpp"
#include "compute/layers/model_spec.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace actorpipe {

/// A parameter and who uses it. A use is (layer, index among the layer's
/// `parameters()`); the first in layer order owns the parameter.
struct model_parameter {
  parameter_use declaration; ///< of the owner
  struct use {
    std::size_t layer;
    std::size_t index;
  };
  std::vector<use> uses; ///< in layer order
};

/// Immutable once built; shared by everyone who runs a part of it.
class model {
public:
  std::size_t size() const noexcept { return layers_.size(); }
  const layer& at(std::size_t index) const { return *layers_[index]; }
  const std::string& name(std::size_t index) const { return names_[index]; }

  const loss_function& loss() const { return *loss_; }

  /// All parameters in model order: by owner, then index.
  const std::vector<model_parameter>& parameters() const noexcept {
    return parameters_;
  }

  /// Types at every boundary for the given inputs: element i is what enters
  /// layer i, element L what the last layer puts out. Throws `model_error`
  /// naming the layer and its neighbour where they do not fit.
  std::vector<std::vector<tensor_type>>
  boundaries(const std::vector<tensor_type>& inputs) const;

  const model_spec& spec() const noexcept { return spec_; }

private:
  friend std::shared_ptr<const model> build_model(const model_spec&,
                                                  const layer_registry&);

  model_spec spec_;
  std::vector<std::unique_ptr<layer>> layers_;
  std::vector<std::string> names_;
  std::unique_ptr<loss_function> loss_;
  std::vector<model_parameter> parameters_;
};

/// Builds the layers of `spec` in order. Throws `model_error` for an unknown
/// kind (naming those known), an unknown or missing value, a value out of
/// range, or two parameters of one name.
std::shared_ptr<const model> build_model(const model_spec& spec,
                                         const layer_registry& registry);

} // namespace actorpipe
