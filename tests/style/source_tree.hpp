// SPDX-License-Identifier: Apache-2.0
/// The files of the project as lines of text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace style {

/// One text file. `path` is relative to the root of the project and written
/// with slashes, such as "compute/ops/philox.hpp".
struct source_file {
  std::string path;
  std::vector<std::string> lines; ///< without their ends
  bool ends_with_newline = true;

  std::string folder() const;    ///< "compute/ops"; empty at the root
  std::string top() const;       ///< "compute"; empty at the root
  std::string name() const;      ///< "philox.hpp"
  std::string extension() const; ///< ".hpp"

  bool is_cpp() const;    ///< .hpp or .cpp
  bool is_script() const; ///< begins with `#!`, or is named like a script
};

/// A file made of `text`, for tests of the rules.
source_file make_file(std::string path, std::string_view text);

/// All text files below `root`, by path; without what git ignores (builds,
/// runs, caches), inputs of fuzz targets and git's own folder.
std::vector<source_file> read_tree(const std::filesystem::path& root);

} // namespace style
