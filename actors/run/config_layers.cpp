// SPDX-License-Identifier: Apache-2.0
/// Layers that a run file spells out.
#include "actors/run/config_layers.hpp"

#include "actors/run/config_value.hpp"

#include <optional>

namespace actorpipe {

namespace {

std::optional<spec_value> scalar_from_toml(const toml::node& value) {
  if (const auto* x = value.as_boolean())
    return x->get();
  if (const auto* x = value.as_integer())
    return x->get();
  if (const auto* x = value.as_floating_point())
    return x->get();
  if (const auto* x = value.as_string())
    return x->get();
  return std::nullopt;
}

struct scalar_printer {
  std::string operator()(bool x) const { return x ? "true" : "false"; }
  std::string operator()(std::int64_t x) const { return std::to_string(x); }
  std::string operator()(double x) const { return toml_real(x); }
  std::string operator()(const std::string& x) const { return toml_text(x); }
};

bool is_bare_key(const std::string& key) {
  return !key.empty()
      && key.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_-")
           == key.npos;
}

} // namespace

layer_spec layer_from_toml(const toml::node& value,
                           const complaint_sink& complain) {
  layer_spec result;
  const auto* table = value.as_table();
  if (table == nullptr) {
    complain(value, "must hold tables such as { kind = \"linear\", ... }, got "
                      + describe(value));
    return result;
  }
  for (const auto& [key, node] : *table) {
    const std::string name(key.str());
    if (name == "layers") {
      result.layers = layers_from_toml(node, complain);
    } else if (name == "kind" || name == "name") {
      if (const auto* text = node.as_string())
        (name == "kind" ? result.kind : result.name) = text->get();
      else
        complain(node, "must give a layer's " + name + " as text, got "
                         + describe(node));
    } else if (auto scalar = scalar_from_toml(node)) {
      result.values.emplace(name, std::move(*scalar));
    } else {
      complain(node, "must give a layer's " + name
                       + " as a number, true, false or text, got "
                       + describe(node));
    }
  }
  if (!table->contains("kind"))
    complain(value, "must give every layer a kind");
  return result;
}

std::vector<layer_spec> layers_from_toml(const toml::node& value,
                                         const complaint_sink& complain) {
  std::vector<layer_spec> result;
  const auto* list = value.as_array();
  if (list == nullptr) {
    complain(value, "must be a list of layers, got " + describe(value));
    return result;
  }
  for (const auto& node : *list)
    result.push_back(layer_from_toml(node, complain));
  return result;
}

std::string layer_to_toml(const layer_spec& layer) {
  std::string result = "{ kind = " + toml_text(layer.kind);
  if (!layer.name.empty())
    result += ", name = " + toml_text(layer.name);
  for (const auto& [key, value] : layer.values)
    result += ", " + (is_bare_key(key) ? key : toml_text(key)) + " = "
            + std::visit(scalar_printer{}, value);
  if (!layer.layers.empty())
    result += ", layers = " + layers_to_toml(layer.layers);
  return result + " }";
}

std::string layers_to_toml(const std::vector<layer_spec>& layers) {
  std::string result = "[";
  for (const auto& layer : layers)
    result += "\n  " + layer_to_toml(layer) + ",";
  return result + (layers.empty() ? "]" : "\n]");
}

} // namespace actorpipe
