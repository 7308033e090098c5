// SPDX-License-Identifier: Apache-2.0
/// Single values of a run file.
#include "actors/run/config_value.hpp"

#include "actors/run/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace actorpipe {

namespace {

// Levenshtein's distance, with one row of the table.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

} // namespace

void require_few_dots(std::string_view text, const std::string& name) {
  constexpr std::int64_t most_dots = 10'000;
  if (const auto dots = std::ranges::count(text, '.'); dots > most_dots)
    throw config_error({fmt::format("{}: has {} dots, at most {} are allowed",
                                    name, dots, most_dots)});
}

std::string toml_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\u{:04X}", byte);
    else
      result += c;
  }
  return result + '"';
}

std::string toml_real(double value) {
  auto result = fmt::format("{}", value);
  if (std::isfinite(value) && result.find_first_of(".e") == result.npos)
    result += ".0";
  return result;
}

std::string describe(const toml::node& value) {
  if (const auto* x = value.as_string()) {
    constexpr std::size_t longest = 60;
    return x->get().size() > longest
           ? toml_text(x->get().substr(0, longest)) + "..."
           : toml_text(x->get());
  }
  if (const auto* x = value.as_integer())
    return std::to_string(x->get());
  if (const auto* x = value.as_floating_point())
    return fmt::format("{}", x->get());
  if (const auto* x = value.as_boolean())
    return x->get() ? "true" : "false";
  if (value.is_table())
    return "a table";
  if (const auto* x = value.as_array())
    return fmt::format("a list of {}", x->size());
  return "a date or time";
}

std::string nearest(std::string_view word,
                    const std::vector<std::string>& words) {
  std::string best;
  auto least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : words) {
    const auto far = distance(word, candidate);
    // A word that shares no letter is not near, however short both are.
    if (far < least && far < std::max(word.size(), candidate.size())) {
      least = far;
      best = candidate;
    }
  }
  return best;
}

} // namespace actorpipe
