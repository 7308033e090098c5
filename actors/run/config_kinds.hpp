// SPDX-License-Identifier: Apache-2.0
/// The kinds of settings: how a value is checked, stored and printed.
///
/// Everywhere `get` maps a config, const or not, to the setting's member.
#pragma once

#include "actors/run/config_schema.hpp"
#include "actors/run/config_value.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace actorpipe {

/// What identifies a setting; its kind adds the rest.
struct setting_head {
  std::string_view section;
  std::string_view key;
  std::string_view doc;
};

/// A setting whose kind has still to say how it is stored and printed.
inline setting make_setting(const setting_head& what, std::string allowed) {
  setting result;
  result.section = what.section;
  result.key = what.key;
  result.doc = what.doc;
  result.allowed = std::move(allowed);
  return result;
}

inline std::string mismatch(const std::string& allowed, const toml::node& got) {
  return fmt::format("must be {}, got {}", allowed, describe(got));
}

inline constexpr auto no_limit = std::numeric_limits<std::int64_t>::max();

template <class Get>
setting integer(const setting_head& what, Get get, std::int64_t least,
                std::int64_t greatest = no_limit) {
  auto result = make_setting(
    what, greatest == no_limit
            ? fmt::format("an integer of at least {}", least)
            : fmt::format("an integer from {} to {}", least, greatest));
  result.store = [=, allowed = result.allowed](run_config& config,
                                               const toml::node& node,
                                               const complaint_sink& complain) {
    const auto* x = node.as_integer();
    if (x != nullptr && x->get() >= least && x->get() <= greatest)
      get(config) = x->get();
    else
      complain(node, mismatch(allowed, node));
  };
  result.print = [=](const run_config& c) { return std::to_string(get(c)); };
  return result;
}

enum class bound : std::uint8_t { included, excluded };

template <class Get>
setting real(const setting_head& what, Get get, double least, bound low,
             double greatest = std::numeric_limits<double>::infinity(),
             bound high = bound::excluded) {
  auto allowed = fmt::format(
    "a number {} {}", low == bound::included ? "of at least" : "above", least);
  if (greatest != std::numeric_limits<double>::infinity())
    allowed += fmt::format(
      " and {} {}", high == bound::included ? "at most" : "below", greatest);
  auto result = make_setting(what, std::move(allowed));
  result.store = [=, allowed = result.allowed](run_config& config,
                                               const toml::node& node,
                                               const complaint_sink& complain) {
    const auto x = node.value<double>();
    const bool is_number = node.is_integer() || node.is_floating_point();
    // Written so that a value that is not a number fails both.
    const bool fits =
      x && is_number && (low == bound::included ? *x >= least : *x > least)
      && (high == bound::included ? *x <= greatest : *x < greatest);
    if (fits)
      get(config) = *x;
    else
      complain(node, mismatch(allowed, node));
  };
  result.print = [=](const run_config& c) { return toml_real(get(c)); };
  return result;
}

template <class Get>
setting flag(const setting_head& what, Get get) {
  auto result = make_setting(what, "true or false");
  result.store = [=, allowed = result.allowed](run_config& config,
                                               const toml::node& node,
                                               const complaint_sink& complain) {
    if (const auto* x = node.as_boolean())
      get(config) = x->get();
    else
      complain(node, mismatch(allowed, node));
  };
  result.print = [=](const run_config& c) { return get(c) ? "true" : "false"; };
  return result;
}

template <class Get>
setting text(const setting_head& what, Get get) {
  auto result = make_setting(what, "text that is not empty");
  result.accepts_text = true;
  result.store = [=, allowed = result.allowed](run_config& config,
                                               const toml::node& node,
                                               const complaint_sink& complain) {
    const auto* x = node.as_string();
    if (x != nullptr && !x->get().empty())
      get(config) = x->get();
    else
      complain(node, mismatch(allowed, node));
  };
  result.print = [=](const run_config& c) { return toml_text(get(c)); };
  return result;
}

/// Text that may be empty, which means that there is none.
template <class Get>
setting optional_text(const setting_head& what, Get get) {
  auto result = make_setting(what, "text, or \"\" for none");
  result.accepts_text = true;
  result.store = [=, allowed = result.allowed](run_config& config,
                                               const toml::node& node,
                                               const complaint_sink& complain) {
    if (const auto* x = node.as_string())
      get(config) = x->get();
    else
      complain(node, mismatch(allowed, node));
  };
  result.print = [=](const run_config& c) { return toml_text(get(c)); };
  return result;
}

/// A list whose elements `read` takes: it gives nothing for one that is not
/// allowed. `print` turns an element into TOML.
template <class Get, class Read, class Print>
setting list_of(const setting_head& what, std::string allowed, Get get,
                Read read, Print print) {
  auto result = make_setting(what, std::move(allowed));
  result.store = [=, allowed = result.allowed](run_config& config,
                                               const toml::node& node,
                                               const complaint_sink& complain) {
    const auto* list = node.as_array();
    if (list == nullptr) {
      complain(node, mismatch(allowed, node));
      return;
    }
    auto& stored = get(config);
    std::remove_reference_t<decltype(stored)> values;
    for (const auto& element : *list) {
      const auto x = read(element);
      if (!x) {
        complain(element, mismatch(allowed, element));
        return;
      }
      values.push_back(*x);
    }
    stored = std::move(values);
  };
  result.print = [=](const run_config& config) {
    std::string text;
    for (const auto& x : get(config))
      text += (text.empty() ? "" : ", ") + print(x);
    return '[' + text + ']';
  };
  return result;
}

template <class Enum>
struct choice_name {
  Enum value;
  std::string_view name;
};

template <class Enum>
std::string list_names(const std::vector<choice_name<Enum>>& names) {
  std::string result;
  for (const auto& [value, name] : names)
    result += (result.empty() ? "" : ", ") + toml_text(name);
  return result;
}

template <class Enum, class Get>
setting choice(const setting_head& what, Get get,
               const std::vector<choice_name<Enum>>& names) {
  auto result = make_setting(what, "one of " + list_names(names));
  result.accepts_text = true;
  result.store = [=, allowed = result.allowed](run_config& config,
                                               const toml::node& node,
                                               const complaint_sink& complain) {
    if (const auto* x = node.as_string())
      for (const auto& [value, name] : names)
        if (name == x->get()) {
          get(config) = value;
          return;
        }
    complain(node, mismatch(allowed, node));
  };
  result.print = [=](const run_config& config) {
    for (const auto& [value, name] : names)
      if (value == get(config))
        return toml_text(name);
    return std::string();
  };
  return result;
}

/// The names of the enumerators that have a text form of their own.
template <class Enum, std::size_t N>
std::vector<choice_name<Enum>> names_of(const std::array<Enum, N>& values) {
  std::vector<choice_name<Enum>> result;
  for (const auto value : values)
    result.push_back({value, to_string(value)});
  return result;
}

} // namespace actorpipe
