// SPDX-License-Identifier: Apache-2.0
/// From a spec to JSON and back, each key checked.
#include "compute/layers/model_spec_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <set>
#include <utility>

namespace actorpipe {

namespace {

using json = nlohmann::json;

[[noreturn]] void reject(const std::string& place, const std::string& what) {
  throw model_error(fmt::format("the model as JSON: {}: {}", place, what));
}

std::string inside(const std::string& place, std::size_t index) {
  return fmt::format("{}layers[{}]", place.empty() ? "" : place + ".", index);
}

void require_shallow(const std::string& place, std::size_t depth) {
  if (depth > deepest_layers)
    reject(place,
           fmt::format("layers are nested deeper than {}", deepest_layers));
}

// -- to JSON ------------------------------------------------------------------

json print(const std::string& place, const spec_value& value) {
  if (const auto* number = std::get_if<double>(&value);
      number != nullptr && !std::isfinite(*number))
    reject(place, fmt::format("must be finite, got {}", *number));
  return std::visit([](const auto& x) { return json(x); }, value);
}

json print(const std::string& place, const layer_spec& x, std::size_t depth) {
  require_shallow(place, depth);
  auto result = json::object();
  result["kind"] = x.kind;
  if (!x.name.empty())
    result["name"] = x.name;
  for (const auto& [key, value] : x.values)
    result["values"][key] = print(place + ".values." + key, value);
  for (std::size_t i = 0; i < x.layers.size(); ++i)
    result["layers"].push_back(print(inside(place, i), x.layers[i], depth + 1));
  return result;
}

// -- from JSON ----------------------------------------------------------------

/// The text as JSON, its depth bounded and no key of an object twice, of which
/// the parser would let the last win.
json parse_strictly(std::string_view text) {
  // Of a layer: itself, and the list that it stands in; of the model: itself;
  // of the innermost layer: its values.
  constexpr auto deepest = 2 * deepest_layers + 2;
  std::vector<std::set<std::string>> keys; // of the objects that are open
  const auto check = [&](int depth, json::parse_event_t event, json& value) {
    const auto level = static_cast<std::size_t>(depth);
    if (level > deepest)
      throw model_error("the model as JSON is nested too deeply");
    if (event == json::parse_event_t::object_start) {
      keys.resize(level + 1);
      keys[level].clear();
    } else if (event == json::parse_event_t::key) {
      const auto& key = value.get_ref<const std::string&>();
      if (!keys.at(level - 1).insert(key).second)
        throw model_error(fmt::format(
          "the model as JSON: the key '{}' stands twice in one object", key));
    }
    return true;
  };
  try {
    return json::parse(text, check);
  } catch (const json::exception& error) {
    throw model_error(
      fmt::format("the model cannot be read as JSON: {}", error.what()));
  }
}

void require_object(const std::string& place, const json& x,
                    std::initializer_list<std::string_view> allowed) {
  if (!x.is_object())
    reject(place, fmt::format("must be an object, got {}", x.type_name()));
  for (const auto& [key, value] : x.items())
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end())
      reject(place, fmt::format("unknown key '{}': allowed are {}", key,
                                fmt::join(allowed, ", ")));
}

std::string parse_text(const std::string& place, const json& x,
                       const char* key) {
  if (!x.at(key).is_string())
    reject(place, fmt::format("'{}' must be a text, got {}", key,
                              x.at(key).type_name()));
  return x.at(key).get<std::string>();
}

spec_value parse_value(const std::string& place, const json& x) {
  switch (x.type()) {
  case json::value_t::boolean:
    return x.get<bool>();
  case json::value_t::number_integer:
    return x.get<std::int64_t>();
  case json::value_t::number_unsigned:
    if (x.get<std::uint64_t>()
        > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
      reject(place, fmt::format("must fit 64 bits with a sign, got {}",
                                x.get<std::uint64_t>()));
    return x.get<std::int64_t>();
  case json::value_t::number_float:
    return x.get<double>();
  case json::value_t::string:
    return x.get<std::string>();
  default:
    reject(place, fmt::format("must be true, false, a number or a text, got "
                              "{}",
                              x.type_name()));
  }
}

std::vector<layer_spec> parse_layers(const std::string& place, const json& x,
                                     std::size_t depth);

layer_spec parse_layer(const std::string& place, const json& x,
                       std::size_t depth) {
  require_shallow(place, depth);
  require_object(place, x, {"kind", "layers", "name", "values"});
  layer_spec result;
  if (!x.contains("kind"))
    reject(place, "needs a 'kind'");
  result.kind = parse_text(place, x, "kind");
  if (x.contains("name"))
    result.name = parse_text(place, x, "name");
  if (const auto values = x.find("values"); values != x.end()) {
    if (!values->is_object())
      reject(place, fmt::format("'values' must be an object, got {}",
                                values->type_name()));
    for (const auto& [key, value] : values->items())
      result.values.emplace(key, parse_value(place + ".values." + key, value));
  }
  if (x.contains("layers"))
    result.layers = parse_layers(place, x["layers"], depth + 1);
  return result;
}

std::vector<layer_spec> parse_layers(const std::string& place, const json& x,
                                     std::size_t depth) {
  if (!x.is_array())
    reject(place.empty() ? "layers" : place + ".layers",
           fmt::format("must be a list, got {}", x.type_name()));
  std::vector<layer_spec> result;
  for (std::size_t i = 0; i < x.size(); ++i)
    result.push_back(parse_layer(inside(place, i), x[i], depth));
  return result;
}

} // namespace

std::string to_json(const model_spec& x) {
  auto root = json::object();
  root["layers"] = json::array();
  for (std::size_t i = 0; i < x.layers.size(); ++i)
    root["layers"].push_back(print(inside("", i), x.layers[i], 1));
  root["loss"] = print("loss", x.loss, 1);
  try {
    return root.dump();
  } catch (const json::exception& error) {
    throw model_error(
      fmt::format("the model cannot be written as JSON: {}", error.what()));
  }
}

model_spec model_spec_from_json(std::string_view text) {
  const auto root = parse_strictly(text);
  require_object("the whole", root, {"layers", "loss"});
  for (const auto* key : {"layers", "loss"})
    if (!root.contains(key))
      reject("the whole", fmt::format("needs '{}'", key));
  model_spec result;
  result.layers = parse_layers("", root["layers"], 1);
  result.loss = parse_layer("loss", root["loss"], 1);
  return result;
}

} // namespace actorpipe
