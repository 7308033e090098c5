// SPDX-License-Identifier: Apache-2.0
/// The text form of actions and programs.
#include "partition/action.hpp"

#include <charconv>

namespace actorpipe {

namespace {

constexpr std::string_view kinds = "FRBIWU";

// Reads digits from the front of `text` and drops them.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t value = 0;
  const auto [end, error] =
    std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{})
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

} // namespace

std::string to_string(const action& x) {
  return std::to_string(x.cell) + static_cast<char>(x.kind)
       + std::to_string(x.micro_batch);
}

std::optional<action> parse_action(std::string_view text) {
  const auto cell = take_number(text);
  if (!cell || text.empty() || kinds.find(text.front()) == kinds.npos)
    return std::nullopt;
  const auto kind = static_cast<action_kind>(text.front());
  text.remove_prefix(1);
  const auto micro_batch = take_number(text);
  if (!micro_batch || !text.empty())
    return std::nullopt;
  return action{*cell, kind, *micro_batch};
}

std::string to_string(const program& x) {
  std::string result;
  for (const auto& step : x) {
    if (!result.empty())
      result += ' ';
    result += to_string(step);
  }
  return result;
}

std::optional<program> parse_program(std::string_view text) {
  program result;
  while (!text.empty()) {
    const auto end = text.find(' ');
    const auto word = text.substr(0, end);
    if (!word.empty()) {
      const auto step = parse_action(word);
      if (!step)
        return std::nullopt;
      result.push_back(*step);
    }
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return result;
}

} // namespace actorpipe
