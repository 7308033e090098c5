// SPDX-License-Identifier: Apache-2.0
/// Reading the project's files.
#include "tests/style/source_tree.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

namespace style {

namespace {

namespace fs = std::filesystem;

bool is_skipped_folder(const std::string& name) {
  static const std::set<std::string> skipped{"runs", "__pycache__", "corpus"};
  return name.starts_with("build") || skipped.contains(name)
      || (name.starts_with('.') && name != ".ci");
}

bool is_text(const fs::path& path) {
  static const std::set<std::string> text{".hpp",  ".cpp", ".txt", ".cmake",
                                          ".toml", ".md",  ".py",  ".sh",
                                          ".yml",  ".in",  ".yaml"};
  const auto extension = path.extension().string();
  return extension.empty() || text.contains(extension);
}

std::string read_all(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

std::string source_file::folder() const {
  return fs::path(path).parent_path().generic_string();
}

std::string source_file::top() const {
  const auto slash = path.find('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string source_file::name() const {
  return fs::path(path).filename().string();
}

std::string source_file::extension() const {
  return fs::path(path).extension().string();
}

bool source_file::is_cpp() const {
  return extension() == ".hpp" || extension() == ".cpp";
}

bool source_file::is_script() const {
  static const std::set<std::string> named{".cmake", ".toml", ".py",
                                           ".sh",    ".yml",  ".yaml"};
  return named.contains(extension()) || name() == "CMakeLists.txt"
      || (!lines.empty() && lines.front().starts_with("#!"));
}

source_file make_file(std::string path, std::string_view text) {
  source_file result{std::move(path), {}, text.empty() || text.back() == '\n'};
  while (!text.empty()) {
    const auto end = text.find('\n');
    result.lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return result;
}

std::vector<source_file> read_tree(const fs::path& root) {
  std::vector<source_file> result;
  auto at = fs::recursive_directory_iterator(root);
  for (const auto& entry : at) {
    if (entry.is_directory()) {
      if (is_skipped_folder(entry.path().filename().string()))
        at.disable_recursion_pending();
      continue;
    }
    if (!entry.is_regular_file() || !is_text(entry.path()))
      continue;
    const auto path = fs::relative(entry.path(), root).generic_string();
    result.push_back(make_file(path, read_all(entry.path())));
  }
  std::ranges::sort(result, {}, &source_file::path);
  return result;
}

} // namespace style
