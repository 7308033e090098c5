// SPDX-License-Identifier: Apache-2.0
/// The registry of kinds, and the kinds of this project.
#include "compute/layers/layer_registry.hpp"

#include "compute/layers/builtin.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <vector>

namespace actorpipe {

namespace {

template <class Factory>
void add_kind(std::map<std::string, Factory>& factories, std::string kind,
              Factory make) {
  const auto [place, added] = factories.emplace(kind, std::move(make));
  if (!added)
    throw std::invalid_argument(
      fmt::format("there is already a kind '{}'", kind));
}

template <class Factory>
std::vector<std::string>
names_of(const std::map<std::string, Factory>& factories) {
  std::vector<std::string> result;
  for (const auto& [kind, make] : factories)
    result.push_back(kind);
  return result;
}

template <class Factory>
const Factory& find_kind(const std::map<std::string, Factory>& factories,
                         const layer_spec& spec, std::string_view what) {
  const auto found = factories.find(spec.kind);
  if (found == factories.end())
    throw model_error(fmt::format("{} {}: unknown kind '{}': there are {}",
                                  what, spec.name, spec.kind,
                                  fmt::join(names_of(factories), ", ")));
  return found->second;
}

/// A factory that needs no registry, as one that is given it.
layer_registry::layer_factory
simple(std::unique_ptr<layer> (*make)(const layer_spec&)) {
  return [make](const layer_spec& spec, const layer_registry&) {
    return make(spec);
  };
}

} // namespace

std::string qualified_name(const std::string& prefix, const layer_spec& spec,
                           std::size_t index) {
  const auto name =
    spec.name.empty() ? spec.kind + std::to_string(index) : spec.name;
  return prefix.empty() ? name : prefix + "." + name;
}

layer_registry layer_registry::with_builtin() {
  layer_registry result;
  result.add("embedding", simple(make_embedding));
  result.add("linear", simple(make_linear));
  result.add("layer_norm", simple(make_layer_norm));
  result.add("attention", simple(make_attention));
  result.add("dropout", simple(make_dropout));
  result.add("gelu", simple(make_activation));
  result.add("relu", simple(make_activation));
  result.add("tanh", simple(make_activation));
  result.add("residual", make_residual);
  result.add_loss("softmax_cross_entropy", make_softmax_cross_entropy);
  return result;
}

void layer_registry::add(std::string kind, layer_factory make) {
  add_kind(layers_, std::move(kind), std::move(make));
}

void layer_registry::add_loss(std::string kind, loss_factory make) {
  add_kind(losses_, std::move(kind), std::move(make));
}

std::unique_ptr<layer> layer_registry::make(const layer_spec& spec) const {
  return find_kind(layers_, spec, "layer")(spec, *this);
}

std::unique_ptr<loss_function>
layer_registry::make_loss(const layer_spec& spec) const {
  return find_kind(losses_, spec, "loss")(spec);
}

} // namespace actorpipe
