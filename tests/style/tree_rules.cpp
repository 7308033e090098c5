// SPDX-License-Identifier: Apache-2.0
/// Rules that look at how files stand to each other.
#include "tests/style/rules.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace style {

namespace {

const std::set<std::string>& libraries() {
  static const std::set<std::string> names{"compute", "partition", "messages",
                                           "actors"};
  return names;
}

std::set<std::string> paths_of(const std::vector<source_file>& tree) {
  std::set<std::string> result;
  for (const auto& file : tree)
    result.insert(file.path);
  return result;
}

std::set<std::string> folders_of(const std::vector<source_file>& tree) {
  std::set<std::string> result;
  for (const auto& file : tree)
    for (auto path = file.folder(); !path.empty();) {
      result.insert(path);
      const auto slash = path.rfind('/');
      path = slash == std::string::npos ? "" : path.substr(0, slash);
    }
  return result;
}

/// The words of a `CMakeLists.txt`.
std::set<std::string> words_of(const source_file& file) {
  std::set<std::string> result;
  for (const auto& line : file.lines) {
    constexpr std::string_view between = " ()\"";
    std::size_t at = 0;
    while ((at = line.find_first_not_of(between, at)) != std::string::npos) {
      const auto end = std::min(line.find_first_of(between, at), line.size());
      result.insert(line.substr(at, end - at));
      at = end;
    }
  }
  return result;
}

bool names(const source_file& list, const std::string& path) {
  const auto words = words_of(list);
  const auto below = list.path.substr(0, list.path.rfind('/') + 1);
  return words.contains("${PROJECT_SOURCE_DIR}/" + path)
      || (path.starts_with(below) && words.contains(path.substr(below.size())));
}

} // namespace

complaints includes_exist(const std::vector<source_file>& tree) {
  static const std::set<std::string> checked{
    "compute", "partition", "messages",  "actors",
    "apps",    "tests",     "benchmarks"};
  constexpr std::string_view opening = "#include \"";
  const auto paths = paths_of(tree);
  complaints result;
  for (const auto& file : tree) {
    if (!file.is_cpp() || !checked.contains(file.top()))
      continue;
    for (const auto& line : file.lines) {
      if (!line.starts_with(opening))
        continue;
      const auto target = line.substr(
        opening.size(), line.find('"', opening.size()) - opening.size());
      const auto is_beside =
        file.top() == "tests" && paths.contains(file.folder() + "/" + target);
      if (!paths.contains(target) && !is_beside)
        result.push_back(file.path + ": \"" + target
                         + "\" is not a path from the root");
    }
  }
  return result;
}

complaints tests_mirror_folders(const std::vector<source_file>& tree) {
  const auto paths = paths_of(tree);
  const auto folders = folders_of(tree);
  complaints result;
  for (const auto& folder : folders) {
    if (!folder.starts_with("tests/"))
      continue;
    const auto tested = folder.substr(6);
    if (!libraries().contains(tested.substr(0, tested.find('/'))))
      continue;
    if (!folders.contains(tested) && !paths.contains(tested + ".hpp"))
      result.push_back(folder + ": there is no " + tested);
  }
  for (const auto& library : libraries())
    if (std::ranges::none_of(tree, [&](const source_file& file) {
          return file.path.starts_with("tests/" + library + "/")
              && file.path.ends_with("_test.cpp");
        }))
      result.push_back(library + " has no tests");
  return result;
}

complaints every_source_is_built(const std::vector<source_file>& tree) {
  complaints result;
  for (const auto& file : tree)
    if (file.extension() == ".cpp"
        && std::ranges::none_of(tree, [&](const source_file& list) {
             return list.name() == "CMakeLists.txt" && names(list, file.path);
           }))
      result.push_back(file.path + ": stands in no CMakeLists.txt");
  return result;
}

} // namespace style
