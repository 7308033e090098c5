// SPDX-License-Identifier: Apache-2.0
/// Building a model: its layers, its parameters and who uses them.
#include "compute/model/model.hpp"

#include <fmt/format.h>

#include <map>
#include <stdexcept>

namespace actorpipe {

namespace {

/// Collects parameters in model order; the first use owns.
class parameter_collector {
public:
  explicit parameter_collector(const std::vector<std::string>& layers)
    : layers_(layers) {}

  void add(const parameter_use& use, std::size_t layer, std::size_t index) {
    const auto found = index_of_.find(use.name);
    if (found != index_of_.end()) {
      share(parameters_[found->second], use, layer, index);
      return;
    }
    if (use.tied)
      throw model_error(fmt::format(
        "{} ties '{}', but no layer before it has a parameter of that name",
        describe(layer), use.name));
    index_of_[use.name] = parameters_.size();
    parameters_.push_back({use, {{layer, index}}});
  }

  std::vector<model_parameter> take() { return std::move(parameters_); }

private:
  void share(model_parameter& owned, const parameter_use& use,
             std::size_t layer, std::size_t index) const {
    const auto owner = describe(owned.uses.front().layer);
    if (!use.tied)
      throw model_error(fmt::format("{} and {} both have a parameter '{}': "
                                    "name the layers differently, or tie the "
                                    "second",
                                    owner, describe(layer), use.name));
    if (use.extents != owned.declaration.extents)
      throw model_error(fmt::format(
        "{} ties '{}' as {}, but {} has it as {}", describe(layer), use.name,
        to_string(use.extents), owner, to_string(owned.declaration.extents)));
    owned.uses.push_back({layer, index});
  }

  std::string describe(std::size_t layer) const {
    return fmt::format("layer {} ({})", layer, layers_[layer]);
  }

  const std::vector<std::string>& layers_;
  std::vector<model_parameter> parameters_;
  std::map<std::string, std::size_t> index_of_;
};

/// What a layer says in `call` that does not name it, such as that a shape is
/// too large, with its name.
template <class Call>
auto named(const std::string& layer, Call&& call) {
  try {
    return call();
  } catch (const model_error&) {
    throw;
  } catch (const std::invalid_argument& error) {
    throw model_error(fmt::format("layer {}: {}", layer, error.what()));
  }
}

} // namespace

std::vector<std::vector<tensor_type>>
model::boundaries(const std::vector<tensor_type>& inputs) const {
  std::vector<std::vector<tensor_type>> result{inputs};
  for (std::size_t i = 0; i < size(); ++i) {
    try {
      result.push_back(layers_[i]->outputs(result.back()));
    } catch (const std::invalid_argument& error) {
      const auto before = i == 0
                          ? "the inputs"
                          : fmt::format("layer {} ({})", i - 1, name(i - 1));
      throw model_error(fmt::format("layer {} ({}) does not fit {}: {}", i,
                                    name(i), before, error.what()));
    }
  }
  return result;
}

std::shared_ptr<const model> build_model(const model_spec& spec,
                                         const layer_registry& registry) {
  auto result = std::make_shared<model>();
  result->spec_ = spec;
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    auto one = spec.layers[i];
    one.name = qualified_name("", one, i);
    result->layers_.push_back(
      named(one.name, [&] { return registry.make(one); }));
    result->names_.push_back(one.name);
  }
  result->loss_ = registry.make_loss(spec.loss);
  parameter_collector collector(result->names_);
  for (std::size_t i = 0; i < result->size(); ++i) {
    const auto uses =
      named(result->name(i), [&] { return result->at(i).parameters(); });
    for (std::size_t index = 0; index < uses.size(); ++index)
      collector.add(uses[index], i, index);
  }
  result->parameters_ = collector.take();
  return result;
}

} // namespace actorpipe
