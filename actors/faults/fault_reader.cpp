// SPDX-License-Identifier: Apache-2.0
/// Reading a file of rules. One table says which kind has which keys.
#include "actors/faults/fault_rules.hpp"
#include "actors/run/config.hpp"
#include "actors/run/config_value.hpp"
#include "messages/cluster_messages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <limits>
#include <map>

namespace actorpipe {

namespace {

using enum fault_kind;

constexpr std::array kinds{kill,       drop_control, delay_link, cut_link,
                           fail_layer, flip_bit,     stall};

// Stores a value; else says what is allowed.
using storing = std::string (*)(fault_rule& to, const toml::node& from);

template <class Number>
std::string store_number(Number& to, const toml::node& from, std::int64_t least,
                         std::int64_t most) {
  const auto* value = from.as_integer();
  if (value != nullptr && value->get() >= least && value->get() <= most) {
    to = static_cast<Number>(value->get());
    return {};
  }
  return most == std::numeric_limits<std::int64_t>::max()
         ? fmt::format("an integer from {} on", least)
         : fmt::format("an integer from {} to {}", least, most);
}

template <auto Member, std::int64_t Least, std::int64_t Most>
std::string integer(fault_rule& to, const toml::node& from) {
  return store_number(to.*Member, from, Least, Most);
}

template <auto Member>
std::string index(fault_rule& to, const toml::node& from) {
  std::uint32_t value = 0;
  auto allowed =
    store_number(value, from, 0, std::int64_t{trainer_process} - 1);
  if (allowed.empty())
    to.*Member = value;
  return allowed;
}

template <auto Member>
std::string moment(fault_rule& to, const toml::node& from) {
  if (const auto* text = from.as_string())
    to.*Member = parse_action(text->get());
  return to.*Member ? "" : "an action, such as \"3F4\"";
}

std::string chance(fault_rule& to, const toml::node& from) {
  const auto value = from.is_number() ? from.value<double>() : std::nullopt;
  if (!value || !(*value >= 0 && *value <= 1))
    return "a number from 0 to 1";
  to.probability = *value;
  return {};
}

std::string step_of(fault_rule& to, const toml::node& from) {
  std::int64_t value = 0;
  auto allowed =
    store_number(value, from, 0, std::numeric_limits<std::int64_t>::max());
  if (allowed.empty())
    to.step = value;
  return allowed;
}

std::string two_processes(fault_rule& to, const toml::node& from) {
  const std::string allowed =
    "two different ones of the nodes' indices and \"trainer\"";
  const auto* both = from.as_array();
  if (both == nullptr || both->size() != 2)
    return allowed;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto* name = both->get(i)->as_string();
    if (name != nullptr && name->get() == "trainer")
      to.between[i] = trainer_process;
    else if (!store_number(to.between[i], *both->get(i), 0,
                           std::int64_t{trainer_process} - 1)
                .empty())
      return allowed;
  }
  return to.between[0] == to.between[1] ? allowed : "";
}

constexpr std::int64_t most_ms = 86'400'000; // a day
constexpr std::int64_t most_tries = 1'000'000;
constexpr auto any_integer = std::numeric_limits<std::int64_t>::max();

struct fault_key {
  std::string_view name;
  storing store;
  std::vector<fault_kind> required;
  std::vector<fault_kind> allowed;
};

const std::vector<fault_key>& keys() {
  const std::vector timed{kill, fail_layer, stall, cut_link};
  const std::vector placed{kill, fail_layer, stall};
  const std::vector linked{delay_link, cut_link, flip_bit};
  static const std::vector<fault_key> result{
    {"node", index<&fault_rule::node>, {}, {kill, drop_control}},
    {"stage", index<&fault_rule::stage>, {stall}, {kill}},
    {"parameter", index<&fault_rule::parameter>, {}, {kill}},
    {"layer", integer<&fault_rule::layer, 0, 1'000'000'000>, {fail_layer}, {}},
    {"between", two_processes, linked, {}},
    {"step", step_of, timed, {}},
    {"before", moment<&fault_rule::before>, {}, placed},
    {"after", moment<&fault_rule::after>, {}, placed},
    {"try", integer<&fault_rule::first_try, 1, most_tries>, {}, timed},
    {"times", integer<&fault_rule::times, 1, most_tries>, {}, timed},
    {"probability", chance, {drop_control}, {}},
    {"frame", integer<&fault_rule::frame, 1, any_integer>, {flip_bit}, {}},
    {"mean_ms", integer<&fault_rule::mean_ms, 0, most_ms>, {delay_link}, {}},
    {"jitter_ms",
     integer<&fault_rule::jitter_ms, 0, most_ms>,
     {},
     {delay_link}},
    {"for_ms",
     integer<&fault_rule::for_ms, 1, most_ms>,
     {cut_link, stall},
     {}}};
  return result;
}

bool has(const std::vector<fault_kind>& all, fault_kind x) {
  return std::ranges::find(all, x) != all.end();
}

std::vector<std::string> keys_of(fault_kind kind) {
  std::vector<std::string> result;
  for (const auto& x : keys())
    if (has(x.required, kind) || has(x.allowed, kind))
      result.emplace_back(x.name);
  return result;
}

std::string list_of_kinds() {
  std::vector<std::string> names;
  for (const auto x : kinds)
    names.push_back(toml_text(to_string(x)));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Collects the rules and every problem.
class reader {
public:
  explicit reader(const std::string& name) : name_(name) {}

  void read(std::string_view text);
  fault_rules finish();

private:
  void report(const toml::source_region& where, const std::string& text) {
    problems_.push_back(
      fmt::format("{}:{}: {}", name_, where.begin.line, text));
  }
  void read_seed(const toml::node& from);
  void read_faults(const toml::node& from);
  void read_rule(const toml::table& from);
  void read_key(fault_rule& to, const toml::key& key, const toml::node& from);
  void check_together(const fault_rule& x, const toml::table& from);

  const std::string& name_;
  fault_rules result_;
  std::vector<std::string> problems_;
};

void reader::read(std::string_view text) {
  toml::table root;
  try {
    root = toml::parse(text, std::string_view(name_));
  } catch (const toml::parse_error& error) {
    return report(error.source(), std::string(error.description()));
  }
  for (const auto& [key, node] : root)
    if (key.str() == "seed")
      read_seed(node);
    else if (key.str() == "fault")
      read_faults(node);
    else
      report(key.source(), fmt::format("unknown key {}; there are seed and "
                                       "[[fault]]",
                                       key.str()));
}

void reader::read_seed(const toml::node& from) {
  if (auto allowed = store_number(result_.seed, from, 0, any_integer);
      !allowed.empty())
    report(from.source(),
           fmt::format("seed must be {}, got {}", allowed, describe(from)));
}

void reader::read_faults(const toml::node& from) {
  const auto* rules = from.as_array();
  if (rules == nullptr)
    return report(from.source(), "write [[fault]] with two brackets");
  for (const auto& x : *rules)
    if (const auto* rule = x.as_table())
      read_rule(*rule);
    else
      report(x.source(), "a fault must be a table, got " + describe(x));
}

void reader::read_rule(const toml::table& from) {
  const auto* what = from.get("do");
  if (what == nullptr)
    return report(from.source(), "a fault needs do, one of " + list_of_kinds());
  fault_rule rule;
  const auto name = what->value<std::string_view>().value_or("");
  const auto* kind = std::ranges::find_if(
    kinds, [&](fault_kind x) { return to_string(x) == name; });
  if (kind == kinds.end())
    return report(what->source(),
                  fmt::format("do must be one of {}, got {}", list_of_kinds(),
                              describe(*what)));
  rule.what = *kind;
  const auto problems = problems_.size();
  for (const auto& [key, node] : from)
    if (key.str() != "do")
      read_key(rule, key, node);
  for (const auto& x : keys())
    if (has(x.required, rule.what) && !from.contains(x.name))
      report(from.source(), fmt::format("{} needs {}", name, x.name));
  if (problems_.size() == problems)
    check_together(rule, from);
  result_.all.push_back(rule);
}

void reader::read_key(fault_rule& to, const toml::key& key,
                      const toml::node& from) {
  const auto known = keys_of(to.what);
  const auto name = std::string(key.str());
  if (std::ranges::find(known, name) == known.end())
    return report(key.source(), fmt::format("{} has no key {}; there are {}",
                                            to_string(to.what), name,
                                            fmt::join(known, ", ")));
  const auto entry = std::ranges::find(keys(), name, &fault_key::name);
  if (auto allowed = entry->store(to, from); !allowed.empty())
    report(from.source(),
           fmt::format("{} must be {}, got {}", name, allowed, describe(from)));
}

void reader::check_together(const fault_rule& x, const toml::table& from) {
  if (x.before && x.after)
    report(from.get("after")->source(),
           "a fault has before or after, not both");
  if (x.what == fault_kind::kill
      && int{x.node.has_value()} + int{x.stage.has_value()}
             + int{x.parameter.has_value()}
           != 1)
    report(from.source(), "kill needs one of node, stage, parameter");
  if (x.jitter_ms > x.mean_ms)
    report(from.get("jitter_ms")->source(),
           fmt::format("jitter_ms must be an integer from 0 to mean_ms, {}, "
                       "got {}",
                       x.mean_ms, x.jitter_ms));
}

fault_rules reader::finish() {
  if (!problems_.empty())
    throw config_error(problems_);
  return std::move(result_);
}

void require_short(std::string_view text, const std::string& name) {
  constexpr std::size_t longest = 1 << 20;
  if (text.size() > longest)
    throw config_error({fmt::format("{}: is {} bytes long, at most {} are "
                                    "allowed",
                                    name, text.size(), longest)});
  require_few_dots(text, name);
}

} // namespace

fault_rules parse_faults(std::string_view text, const std::string& name) {
  require_short(text, name);
  reader all(name);
  all.read(text);
  return all.finish();
}

} // namespace actorpipe
