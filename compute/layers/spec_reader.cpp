// SPDX-License-Identifier: Apache-2.0
/// Reading and checking of a layer's spec.
#include "compute/layers/spec_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace actorpipe {

namespace {

std::string describe(const spec_value& x) {
  if (const auto* flag = std::get_if<bool>(&x))
    return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&x))
    return fmt::format("{}", *integer);
  if (const auto* number = std::get_if<double>(&x))
    return fmt::format("{}", *number);
  return fmt::format("\"{}\"", std::get<std::string>(x));
}

} // namespace

bool spec_reader::has(const std::string& key) {
  asked_.insert(key);
  return spec_.values.contains(key);
}

std::int64_t spec_reader::integer(const std::string& key, std::int64_t least,
                                  std::int64_t greatest) {
  const auto* got = std::get_if<std::int64_t>(&value(key));
  if (got == nullptr)
    fail_type(key, "a whole number");
  if (*got < least || *got > greatest)
    fail(greatest == greatest_integer && *got < least
           ? fmt::format("'{}' must be at least {}, got {}", key, least, *got)
           : fmt::format("'{}' must be from {} to {}, got {}", key, least,
                         greatest, *got));
  return *got;
}

std::int64_t spec_reader::integer_or(const std::string& key,
                                     std::int64_t fallback, std::int64_t least,
                                     std::int64_t greatest) {
  return has(key) ? integer(key, least, greatest) : fallback;
}

double spec_reader::number(const std::string& key, double least, double below) {
  const auto& got = value(key);
  double x = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&got))
    x = static_cast<double>(*whole);
  else if (const auto* number = std::get_if<double>(&got))
    x = *number;
  else
    fail_type(key, "a number");
  if (!(x >= least && x < below))
    fail(below == unbounded
           ? fmt::format("'{}' must be at least {} and finite, got {}", key,
                         least, x)
           : fmt::format("'{}' must be at least {} and below {}, got {}", key,
                         least, below, x));
  return x;
}

double spec_reader::number_or(const std::string& key, double fallback,
                              double least, double below) {
  return has(key) ? number(key, least, below) : fallback;
}

bool spec_reader::flag_or(const std::string& key, bool fallback) {
  if (!has(key))
    return fallback;
  const auto* got = std::get_if<bool>(&value(key));
  if (got == nullptr)
    fail_type(key, "true or false");
  return *got;
}

std::string spec_reader::text(const std::string& key) {
  const auto* got = std::get_if<std::string>(&value(key));
  if (got == nullptr || got->empty())
    fail_type(key, "a text that is not empty");
  return *got;
}

const std::vector<layer_spec>& spec_reader::inner_layers() {
  holds_layers_ = true;
  if (spec_.layers.empty())
    fail("needs at least one layer inside, got none");
  return spec_.layers;
}

void spec_reader::finish() const {
  for (const auto& [key, got] : spec_.values)
    if (!asked_.contains(key))
      fail(asked_.empty()
             ? fmt::format("unknown key '{}': no keys are allowed", key)
             : fmt::format("unknown key '{}': allowed are {}", key,
                           fmt::join(asked_, ", ")));
  if (!holds_layers_ && !spec_.layers.empty())
    fail(fmt::format("holds no layers inside, got {}", spec_.layers.size()));
}

void spec_reader::fail(const std::string& what) const {
  throw model_error(
    spec_.name.empty()
      ? fmt::format("layer of kind {}: {}", spec_.kind, what)
      : fmt::format("layer {} of kind {}: {}", spec_.name, spec_.kind, what));
}

const spec_value& spec_reader::value(const std::string& key) {
  asked_.insert(key);
  const auto found = spec_.values.find(key);
  if (found == spec_.values.end())
    fail(fmt::format("needs a value '{}'", key));
  return found->second;
}

void spec_reader::fail_type(const std::string& key,
                            std::string_view allowed) const {
  fail(fmt::format("'{}' must be {}, got {}", key, allowed,
                   describe(spec_.values.at(key))));
}

void spec_reader::fail_choice(
  const std::string& key, const std::string& got,
  const std::vector<std::string_view>& names) const {
  fail(fmt::format("'{}' must be one of {}, got \"{}\"", key,
                   fmt::join(names, ", "), got));
}

} // namespace actorpipe
