// SPDX-License-Identifier: Apache-2.0
/// Rules that look at one file.
#include "tests/style/rules.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace style {

namespace {

std::string place(const source_file& file, std::size_t line) {
  return file.path + ":" + std::to_string(line + 1) + ": ";
}

/// Characters, not bytes: UTF-8 continues in bytes of the form 10xxxxxx.
std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(std::ranges::count_if(line, [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

/// What stands between the marks of an `#include` line.
struct include {
  std::string target;
  bool is_ours; ///< in quotes
};

std::optional<include> parse_include(std::string_view line) {
  constexpr std::string_view word = "#include ";
  if (!line.starts_with(word) || line.size() < word.size() + 2)
    return std::nullopt;
  line.remove_prefix(word.size());
  const auto is_ours = line.front() == '"';
  const auto end = line.find(is_ours ? '"' : '>', 1);
  if (end == std::string_view::npos)
    return std::nullopt;
  return include{std::string(line.substr(1, end - 1)), is_ours};
}

/// Calls `complain(line, include)` where `is_wrong(include)`.
template <class IsWrong, class Describe>
complaints check_includes(const source_file& file, IsWrong is_wrong,
                          Describe describe) {
  complaints result;
  if (!file.is_cpp())
    return result;
  for (std::size_t i = 0; i < file.lines.size(); ++i)
    if (const auto found = parse_include(file.lines[i]);
        found && is_wrong(*found))
      result.push_back(place(file, i) + describe(*found));
  return result;
}

bool is_below(const std::string& path, std::string_view folder) {
  return path.starts_with(std::string(folder) + "/");
}

bool may_use_caf(const source_file& file) {
  static const std::set<std::string> without{"compute", "partition"};
  return !without.contains(file.top()) && !is_below(file.path, "tests/compute")
      && !is_below(file.path, "tests/partition");
}

bool is_known_to_partition(const std::string& header) {
  static const std::set<std::string> unwanted{
    "atomic", "chrono", "condition_variable", "mutex", "thread", "future"};
  return header.find_first_of("/.") == std::string::npos
      && !unwanted.contains(header);
}

} // namespace

complaints include_directions(const source_file& file) {
  using names = std::set<std::string>;
  static const std::map<std::string, names> allowed{
    {"compute", {"compute"}},
    {"partition", {"partition"}},
    {"messages", {"messages", "compute", "partition"}},
    {"actors", {"actors", "messages", "compute", "partition"}},
    {"apps", {"apps", "actors", "messages", "compute", "partition"}},
  };
  const auto rule = allowed.find(file.top());
  if (rule == allowed.end())
    return {};
  return check_includes(
    file,
    [&](const include& x) {
      return x.is_ours
          && !rule->second.contains(x.target.substr(0, x.target.find('/')));
    },
    [&](const include& x) {
      return file.top() + " may not include \"" + x.target + "\"";
    });
}

complaints library_use(const source_file& file) {
  return check_includes(
    file,
    [&](const include& x) {
      if (x.is_ours)
        return false;
      if (file.top() == "partition")
        return !is_known_to_partition(x.target);
      if (is_below(x.target, "caf"))
        return !may_use_caf(file);
      if (x.target.find("dnnl") != std::string::npos)
        return file.top() != "benchmarks"
            && !is_below(file.path, "compute/cpu");
      return false;
    },
    [&](const include& x) {
      return "<" + x.target + "> is not for " + file.folder();
    });
}

complaints opening_lines(const source_file& file) {
  if (!file.is_cpp() && !file.is_script())
    return {};
  const std::string mark = file.is_cpp() ? "//" : "#";
  const auto at = [&](std::size_t i) {
    return i < file.lines.size() ? std::string_view(file.lines[i])
                                 : std::string_view();
  };
  const std::size_t first = at(0).starts_with("#!") ? 1 : 0;
  complaints result;
  if (at(first) != mark + " SPDX-License-Identifier: Apache-2.0")
    result.push_back(place(file, first) + "the SPDX line belongs here");
  if (file.is_cpp() && !at(first + 1).starts_with("/// "))
    result.push_back(place(file, first + 1)
                     + "a sentence saying what the file holds belongs here");
  return result;
}

complaints pragma_once(const source_file& file) {
  if (file.extension() != ".hpp"
      || std::ranges::find(file.lines, "#pragma once") != file.lines.end())
    return {};
  return {file.path + ": no #pragma once"};
}

complaints file_size(const source_file& file) {
  complaints result;
  if (!file.is_cpp())
    return result;
  if (file.lines.size() > longest_file_lines)
    result.push_back(file.path + ": " + std::to_string(file.lines.size())
                     + " lines, at most " + std::to_string(longest_file_lines));
  for (std::size_t i = 0; i < file.lines.size(); ++i)
    if (columns(file.lines[i]) > widest_line_columns)
      result.push_back(place(file, i) + "wider than "
                       + std::to_string(widest_line_columns) + " columns");
  return result;
}

complaints nothing_left_to_do(const source_file& file) {
  // Written in parts, so that this file keeps the rule.
  static const std::vector<std::string> words{"TO"
                                              "DO",
                                              "FIX"
                                              "ME"};
  complaints result;
  for (std::size_t i = 0; i < file.lines.size(); ++i)
    for (const auto& word : words)
      if (file.lines[i].find(word) != std::string::npos)
        result.push_back(place(file, i) + word);
  return result;
}

complaints white_space(const source_file& file) {
  complaints result;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const auto& line = file.lines[i];
    if (line.find('\t') != std::string::npos)
      result.push_back(place(file, i) + "a tab");
    if (line.ends_with(' ') || line.ends_with('\r'))
      result.push_back(place(file, i) + "a blank at the end");
  }
  if (!file.ends_with_newline)
    result.push_back(file.path + ": no newline at the end");
  return result;
}

complaints no_sleeping_test(const source_file& file) {
  // Written in parts, so that this file keeps the rule.
  static const std::vector<std::string> words{"sleep"
                                              "_for",
                                              "sleep"
                                              "_until",
                                              "u"
                                              "sleep("};
  complaints result;
  if (file.top() != "tests" || !file.is_cpp())
    return result;
  for (std::size_t i = 0; i < file.lines.size(); ++i)
    for (const auto& word : words)
      if (file.lines[i].find(word) != std::string::npos)
        result.push_back(place(file, i) + "a test that sleeps");
  return result;
}

} // namespace style
