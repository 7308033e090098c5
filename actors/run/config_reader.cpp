// SPDX-License-Identifier: Apache-2.0
/// Reading the text of a run file and its overrides.
#include "actors/run/config_schema.hpp"
#include "actors/run/config_value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

namespace actorpipe {

namespace {

std::vector<std::string> section_names() {
  std::vector<std::string> result;
  for (const auto& entry : all_settings())
    if (result.empty() || result.back() != entry.section)
      result.emplace_back(entry.section);
  return result;
}

std::vector<std::string> keys_of(std::string_view section) {
  std::vector<std::string> result;
  for (const auto& entry : all_settings())
    if (entry.section == section)
      result.emplace_back(entry.key);
  return result;
}

const setting* find_setting(std::string_view section, std::string_view key) {
  for (const auto& entry : all_settings())
    if (entry.section == section && entry.key == key)
      return &entry;
  return nullptr;
}

bool is_section(std::string_view name) {
  return !keys_of(name).empty();
}

std::string unknown_section(std::string_view name) {
  const auto sections = section_names();
  const auto near = nearest(name, sections);
  return near.empty()
         ? fmt::format("unknown section [{}]; there are {}", name,
                       fmt::join(sections, ", "))
         : fmt::format("unknown section [{}]; did you mean [{}]?", name, near);
}

// A key above all sections.
std::string unknown_root_key(std::string_view key) {
  for (const auto& section : section_names())
    if (find_setting(section, key) != nullptr)
      return fmt::format("{} must stand in section [{}]", key, section);
  return fmt::format("unknown key {}; keys stand in the sections {}", key,
                     fmt::join(section_names(), ", "));
}

std::string unknown_key(std::string_view section, std::string_view key) {
  const auto unknown = fmt::format("unknown key {}.{}", section, key);
  for (const auto& other : section_names())
    if (find_setting(other, key) != nullptr)
      return fmt::format("{}; did you mean {}.{}?", unknown, other, key);
  const auto keys = keys_of(section);
  if (const auto near = nearest(key, keys); !near.empty())
    return fmt::format("{}; did you mean {}.{}?", unknown, section, near);
  return fmt::format("{}; [{}] has {}", unknown, section,
                     fmt::join(keys, ", "));
}

// Collects the values of a file, then those of overrides, and every problem.
class reader {
public:
  void read_file(std::string_view text, const std::string& name);
  void read_overrides(const std::vector<std::string>& overrides);

  // Throws when there was a problem.
  run_config finish();

private:
  // A value on its way into the config, with its place for messages.
  struct assignment {
    const setting* entry;
    const toml::node* value;
    std::string place;
    bool has_lines; // the place is a file, so nodes know their line
  };

  void report(const std::string& place, const std::string& text) {
    problems_.push_back(place + ": " + text);
  }
  void read_section(const toml::table& section, const std::string& name,
                    const std::string& file, std::vector<assignment>& values);
  std::optional<assignment> read_override(const std::string& text);
  const setting* find_or_report(const std::string& section,
                                const std::string& key,
                                const std::string& place);
  void store(std::vector<assignment>& values);
  std::string place_of(const std::vector<std::string>& settings) const;

  run_config config_;
  std::vector<std::string> problems_;
  // Where each setting got its value from; absent for a default.
  std::map<std::string, std::string> places_;
  std::deque<toml::table> override_tables_; // owns the overrides' values
};

std::string at_line(const std::string& file, const toml::source_region& where) {
  return fmt::format("{}:{}", file, where.begin.line);
}

void reader::read_file(std::string_view text, const std::string& name) {
  toml::table root;
  try {
    root = toml::parse(text, std::string_view(name));
  } catch (const toml::parse_error& error) {
    report(at_line(name, error.source()), std::string(error.description()));
    return;
  }
  std::vector<assignment> values;
  for (const auto& [key, node] : root) {
    const std::string section(key.str());
    const auto place = at_line(name, key.source());
    const auto* table = node.as_table();
    if (!is_section(section))
      report(place, table == nullptr ? unknown_root_key(section)
                                     : unknown_section(section));
    else if (table == nullptr)
      report(place, fmt::format("{} must be a section, got {}", section,
                                describe(node)));
    else
      read_section(*table, section, name, values);
  }
  store(values);
}

const setting* reader::find_or_report(const std::string& section,
                                      const std::string& key,
                                      const std::string& place) {
  const auto* entry = find_setting(section, key);
  if (entry == nullptr)
    report(place, unknown_key(section, key));
  return entry;
}

void reader::read_section(const toml::table& section, const std::string& name,
                          const std::string& file,
                          std::vector<assignment>& values) {
  for (const auto& [key, node] : section) {
    const auto place = at_line(file, key.source());
    if (const auto* entry = find_or_report(name, std::string(key.str()), place))
      values.push_back({entry, &node, file, true});
  }
}

// The value of an override: TOML where it is, else the text itself.
std::optional<toml::table> override_value(const setting& entry,
                                          const std::string& text) {
  const auto quoted = [&] { return toml::parse("value = " + toml_text(text)); };
  try {
    auto table = toml::parse("value = " + text);
    const auto* value = table.get("value");
    // A line break in the text would start another key.
    if (table.size() != 1
        || (entry.accepts_text && !value->is_string() && !value->is_array()))
      return quoted();
    return table;
  } catch (const toml::parse_error&) {
    try {
      return quoted();
    } catch (const toml::parse_error&) {
      return std::nullopt; // not UTF-8
    }
  }
}

std::optional<reader::assignment>
reader::read_override(const std::string& text) {
  const auto place = "--set " + text;
  const auto equals = text.find('=');
  const auto dot = text.substr(0, equals).find('.');
  if (equals == text.npos || dot == text.npos) {
    report(place, "must have the form section.key=value");
    return std::nullopt;
  }
  const auto section = text.substr(0, dot);
  const auto key = text.substr(dot + 1, equals - dot - 1);
  if (!is_section(section)) {
    report(place, unknown_section(section));
    return std::nullopt;
  }
  const auto* entry = find_or_report(section, key, place);
  if (entry == nullptr)
    return std::nullopt;
  auto table = override_value(*entry, text.substr(equals + 1));
  if (!table) {
    report(place, "must be UTF-8 text");
    return std::nullopt;
  }
  override_tables_.push_back(std::move(*table));
  return assignment{entry, override_tables_.back().get("value"), place, false};
}

void reader::read_overrides(const std::vector<std::string>& overrides) {
  std::vector<assignment> values;
  for (const auto& text : overrides)
    if (const auto value = read_override(text))
      values.push_back(*value);
  store(values);
}

// In the order of the table, since a path resets what is held out of it.
void reader::store(std::vector<assignment>& values) {
  std::stable_sort(
    values.begin(), values.end(),
    [](const auto& a, const auto& b) { return a.entry < b.entry; });
  for (const auto& [entry, value, place, has_lines] : values) {
    const auto located = [&, file = place,
                          lines = has_lines](const toml::node& node) {
      return lines ? at_line(file, node.source()) : file;
    };
    const auto name = entry->name();
    places_[name] = located(*value);
    entry->store(config_, *value,
                 [&](const toml::node& node, const std::string& text) {
                   report(located(node), name + ' ' + text);
                 });
  }
}

// The place to blame: an override if there is one, since it came last.
std::string reader::place_of(const std::vector<std::string>& settings) const {
  std::string result = "defaults";
  for (const auto& name : settings) {
    const auto found = places_.find(name);
    if (found == places_.end())
      continue;
    if (found->second.starts_with("--set "))
      return found->second;
    if (result == "defaults")
      result = found->second;
  }
  return result;
}

run_config reader::finish() {
  for (const auto& entry : all_settings())
    if (const auto place = places_.find(entry.name());
        place != places_.end() && entry.applies && !entry.applies(config_))
      report(place->second,
             fmt::format("{} does not apply when model.preset is {}",
                         entry.name(),
                         find_setting("model", "preset")->print(config_)));
  // What was refused left its default behind: nothing follows from that.
  if (problems_.empty())
    check_relations(config_, [&](const std::vector<std::string>& settings,
                                 const std::string& text) {
      report(place_of(settings), settings.front() + ' ' + text);
    });
  if (!problems_.empty())
    throw config_error(problems_);
  return config_;
}

} // namespace

run_config parse_config(std::string_view text, const std::string& name,
                        const std::vector<std::string>& overrides) {
  require_few_dots(text, name);
  for (const auto& x : overrides)
    require_few_dots(x, "--set");
  reader all;
  all.read_file(text, name);
  all.read_overrides(overrides);
  return all.finish();
}

} // namespace actorpipe
