// SPDX-License-Identifier: Apache-2.0
/// The manifest of a checkpoint, to and from JSON.
#include "actors/run/checkpoint_manifest.hpp"

#include "actors/run/checkpoint.hpp"
#include "compute/io/sha256.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <utility>

namespace actorpipe {

namespace {

using json = nlohmann::ordered_json;

constexpr auto sum_key = "manifest_sha256";

// The JSON with its depth bounded: what prints it calls itself for each level.
json parse_json(std::string_view text) {
  const auto check = [](int depth, json::parse_event_t, const json&) {
    constexpr int deepest = 3; // files -> name -> size -> number
    if (depth > deepest)
      throw checkpoint_error("is not a manifest: it is nested too deeply");
    return true;
  };
  try {
    auto root = json::parse(text, check);
    if (root.is_object())
      return root;
  } catch (const json::exception&) {
    // Said below: which byte it was helps nobody.
  }
  throw checkpoint_error("is truncated or damaged: it is not a JSON object");
}

// An integer that the type can hold; the library would cut off what it cannot.
template <class Integer>
void read_integer(const json& from, const char* key, Integer& to) {
  const auto& value = from.at(key);
  const bool fits = value.is_number_unsigned()
                    ? std::in_range<Integer>(value.get<std::uint64_t>())
                    : value.is_number_integer()
                        && std::in_range<Integer>(value.get<std::int64_t>());
  if (!fits)
    throw checkpoint_error(fmt::format(
      "is not a manifest: {} must be an integer from {} to {}, got {}", key,
      std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max(),
      value.dump()));
  value.get_to(to);
}

void check_format(const json& root) {
  std::int64_t format = 0;
  if (root.contains("format_version"))
    read_integer(root, "format_version", format);
  if (format > checkpoint_format)
    throw checkpoint_error(
      fmt::format("is of format {}; this program reads formats up to {}",
                  format, checkpoint_format));
  if (format < 1)
    throw checkpoint_error("names no format");
}

// Takes the sum out of the object and compares it with the rest.
void check_sum(json& root) {
  const auto said = root.value(sum_key, std::string());
  root.erase(sum_key);
  const auto is = sha256_hex(root.dump());
  if (said != is)
    throw checkpoint_error(
      fmt::format("is damaged: its sha-256 is {}, it says {}", is, said));
}

} // namespace

std::string print_manifest(const checkpoint_manifest& manifest) {
  json files = json::object();
  for (const auto& [name, digest] : manifest.files)
    files[name] = {{"size_bytes", digest.size_bytes},
                   {"sha256", digest.sha256}};
  json root = {{"format_version", checkpoint_format},
               {"step", manifest.step},
               {"updates", manifest.updates},
               {"seed", manifest.seed},
               {"data_cursor", manifest.data_cursor},
               {"optimizer", manifest.optimizer},
               {"slots", manifest.slots},
               {"parameters", manifest.parameters},
               {"states", manifest.states},
               {"files", std::move(files)},
               {"config", manifest.config}};
  root[sum_key] = sha256_hex(root.dump());
  return root.dump(2) + '\n';
}

checkpoint_manifest parse_manifest(std::string_view text) {
  auto root = parse_json(text);
  try {
    check_format(root);
    check_sum(root);
    checkpoint_manifest result;
    read_integer(root, "step", result.step);
    read_integer(root, "updates", result.updates);
    read_integer(root, "seed", result.seed);
    read_integer(root, "data_cursor", result.data_cursor);
    root.at("optimizer").get_to(result.optimizer);
    root.at("slots").get_to(result.slots);
    root.at("parameters").get_to(result.parameters);
    root.at("states").get_to(result.states);
    root.at("config").get_to(result.config);
    for (const auto& [name, entry] : root.at("files").items()) {
      auto& digest = result.files[name];
      read_integer(entry, "size_bytes", digest.size_bytes);
      entry.at("sha256").get_to(digest.sha256);
    }
    return result;
  } catch (const json::exception& error) {
    throw checkpoint_error(fmt::format("is not a manifest: {}", error.what()));
  }
}

} // namespace actorpipe
