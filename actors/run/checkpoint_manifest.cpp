// SPDX-License-Identifier: Apache-2.0
/// The manifest of a checkpoint, to and from JSON.
#include "actors/run/checkpoint_manifest.hpp"

#include "actors/run/checkpoint.hpp"
#include "compute/io/sha256.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace actorpipe {

namespace {

using json = nlohmann::ordered_json;

constexpr auto sum_key = "manifest_sha256";

json parse_json(std::string_view text) {
  try {
    auto root = json::parse(text);
    if (root.is_object())
      return root;
  } catch (const json::exception&) {
    // Said below: which byte it was helps nobody.
  }
  throw checkpoint_error("is truncated or damaged: it is not a JSON object");
}

void check_format(const json& root) {
  const auto format = root.value("format_version", std::int64_t{0});
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
    root.at("step").get_to(result.step);
    root.at("updates").get_to(result.updates);
    root.at("seed").get_to(result.seed);
    root.at("data_cursor").get_to(result.data_cursor);
    root.at("optimizer").get_to(result.optimizer);
    root.at("slots").get_to(result.slots);
    root.at("parameters").get_to(result.parameters);
    root.at("states").get_to(result.states);
    root.at("config").get_to(result.config);
    for (const auto& [name, entry] : root.at("files").items()) {
      auto& digest = result.files[name];
      entry.at("size_bytes").get_to(digest.size_bytes);
      entry.at("sha256").get_to(digest.sha256);
    }
    return result;
  } catch (const json::exception& error) {
    throw checkpoint_error(fmt::format("is not a manifest: {}", error.what()));
  }
}

} // namespace actorpipe
