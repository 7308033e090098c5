// SPDX-License-Identifier: Apache-2.0
/// The registry of kinds, and the kinds of this project.
#include "compute/layers/layer_registry.hpp"

#include "compute/io/sha256.hpp"
#include "compute/layers/builtin.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <vector>

namespace actorpipe {

namespace {

template <class Kinds, class Factory>
void add_kind(Kinds& kinds, std::string kind, Factory make,
              std::uint32_t version) {
  const auto [place, added] = kinds.try_emplace(
    kind, typename Kinds::mapped_type{std::move(make), version});
  if (!added)
    throw std::invalid_argument(
      fmt::format("there is already a kind '{}'", kind));
}

template <class Kinds>
std::vector<layer_registry::kind_entry> entries_of(const Kinds& kinds) {
  std::vector<layer_registry::kind_entry> result;
  for (const auto& [kind, entry] : kinds)
    result.push_back({kind, entry.version});
  return result;
}

template <class Kinds>
const auto& find_kind(const Kinds& kinds, const layer_spec& spec,
                      std::string_view what) {
  const auto found = kinds.find(spec.kind);
  if (found == kinds.end()) {
    std::vector<std::string> names;
    for (const auto& [kind, entry] : kinds)
      names.push_back(kind);
    throw model_error(fmt::format("{} {}: unknown kind '{}': there are {}",
                                  what, spec.name, spec.kind,
                                  fmt::join(names, ", ")));
  }
  return found->second.make;
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

void layer_registry::add(std::string kind, layer_factory make,
                         std::uint32_t version) {
  add_kind(layers_, std::move(kind), std::move(make), version);
}

void layer_registry::add_loss(std::string kind, loss_factory make,
                              std::uint32_t version) {
  add_kind(losses_, std::move(kind), std::move(make), version);
}

std::unique_ptr<layer> layer_registry::make(const layer_spec& spec) const {
  return find_kind(layers_, spec, "layer")(spec, *this);
}

std::unique_ptr<loss_function>
layer_registry::make_loss(const layer_spec& spec) const {
  return find_kind(losses_, spec, "loss")(spec);
}

std::vector<layer_registry::kind_entry> layer_registry::kinds() const {
  return entries_of(layers_);
}

std::vector<layer_registry::kind_entry> layer_registry::loss_kinds() const {
  return entries_of(losses_);
}

std::string hash(const layer_registry& x) {
  sha256 sum;
  const auto add = [&](std::string_view what, const auto& kinds) {
    // With its length in front, a name cannot look like two.
    for (const auto& [name, version] : kinds)
      sum.add(fmt::format("{} {} {}:{}\n", what, version, name.size(), name));
  };
  add("layer", x.kinds());
  add("loss", x.loss_kinds());
  return sum.finish();
}

} // namespace actorpipe
