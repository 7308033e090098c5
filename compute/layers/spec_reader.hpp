// SPDX-License-Identifier: Apache-2.0
/// Reads the values of a layer's spec and says precisely what is wrong.
#pragma once

#include "compute/layers/model_spec.hpp"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace actorpipe {

/// Reads one spec, key by key; `finish` then rejects every key that was not
/// asked for. All functions throw `model_error` naming the layer, the key, what
/// was got and what is allowed.
///
///     spec_reader read(spec);
///     const auto width = read.integer("width", 1);
///     const auto p = read.number_or("p", 0.1, 0, 1);
///     read.finish();
class spec_reader {
public:
  /// Small enough that the product of two, times a small factor, is counted in
  /// 64 bits.
  static constexpr std::int64_t greatest_integer =
    std::numeric_limits<std::int32_t>::max();
  static constexpr double unbounded = std::numeric_limits<double>::infinity();

  /// `spec` outlives the reader.
  explicit spec_reader(const layer_spec& spec) : spec_(spec) {}

  bool has(const std::string& key);

  /// A value that must be there, from `least` to `greatest`.
  std::int64_t integer(const std::string& key, std::int64_t least,
                       std::int64_t greatest = greatest_integer);
  std::int64_t integer_or(const std::string& key, std::int64_t fallback,
                          std::int64_t least,
                          std::int64_t greatest = greatest_integer);

  /// least <= x < below; a whole number is taken too.
  double number(const std::string& key, double least, double below);
  double number_or(const std::string& key, double fallback, double least,
                   double below);

  bool flag_or(const std::string& key, bool fallback);

  /// A text that is not empty.
  std::string text(const std::string& key);

  /// One of the texts of `choices`, as the value beside it.
  template <class T>
  T choice_or(const std::string& key, T fallback,
              std::initializer_list<std::pair<std::string_view, T>> choices) {
    if (!has(key))
      return fallback;
    const auto got = text(key);
    std::vector<std::string_view> names;
    for (const auto& [name, value] : choices) {
      if (got == name)
        return value;
      names.push_back(name);
    }
    fail_choice(key, got, names);
  }

  /// The layers inside; there must be at least one.
  const std::vector<layer_spec>& inner_layers();

  /// Rejects keys, and layers inside, that nobody asked for.
  void finish() const;

  /// Throws a `model_error` about this layer.
  [[noreturn]] void fail(const std::string& what) const;

private:
  const spec_value& value(const std::string& key);
  [[noreturn]] void fail_type(const std::string& key,
                              std::string_view allowed) const;
  [[noreturn]] void
  fail_choice(const std::string& key, const std::string& got,
              const std::vector<std::string_view>& names) const;

  const layer_spec& spec_;
  std::set<std::string> asked_;
  bool holds_layers_ = false;
};

} // namespace actorpipe
