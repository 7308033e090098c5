// SPDX-License-Identifier: Apache-2.0
/// Fuzz target: the manifest of a checkpoint.
#include "actors/run/checkpoint.hpp"
#include "actors/run/checkpoint_manifest.hpp"
#include "compute/io/sha256.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/target.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace {

namespace fuzz = actorpipe::fuzz;

void check(std::string_view text) {
  fuzz::within_memory(text.size(), [&] {
    try {
      const auto printed =
        actorpipe::print_manifest(actorpipe::parse_manifest(text));
      fuzz::require(
        actorpipe::print_manifest(actorpipe::parse_manifest(printed))
          == printed,
        "a manifest reads back as printed");
    } catch (const actorpipe::checkpoint_error&) {
      // What it promises.
    }
  });
}

// The same manifest with a sum that is right, which no change of bytes hits.
std::string sealed(std::string_view text) {
  using json = nlohmann::ordered_json;
  constexpr auto sum_key = "manifest_sha256";
  // Whatever prints a text of this library calls itself for each level.
  constexpr auto deepest = 1000;
  if (std::ranges::count_if(text, [](char c) { return c == '[' || c == '{'; })
      > deepest)
    return {};
  auto root = json::parse(text, nullptr, false);
  if (!root.is_object())
    return {};
  root.erase(sum_key);
  root[sum_key] = actorpipe::sha256_hex(root.dump());
  return root.dump();
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto text = fuzz::text_of(bytes, size);
  check(text);
  if (const auto whole = sealed(text); !whole.empty())
    check(whole);
  return 0;
}
