// SPDX-License-Identifier: Apache-2.0
/// The rules of style that matter, each as a function.
///
/// A rule returns its complaints, each with the place. None means that the
/// file, or the tree, keeps the rule.
#pragma once

#include "tests/style/source_tree.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace style {

using complaints = std::vector<std::string>;

/// A file of code that is longer is two files.
inline constexpr std::size_t longest_file_lines = 400;
/// From here on a file is named in the test's output.
inline constexpr std::size_t long_file_lines = 250;
inline constexpr std::size_t widest_line_columns = 80;

// -- of one file --------------------------------------------------------------

/// `compute` and `partition` see themselves alone, `messages` both, `actors`
/// those three, `apps` everything. Includes are written from the root.
complaints include_directions(const source_file& file);

/// Which folders may use a library: CAF in `messages`, `actors` and `apps`,
/// oneDNN in `compute/cpu`; `partition` has the standard library alone, without
/// threads and clocks.
complaints library_use(const source_file& file);

/// Code and scripts begin with the SPDX line (after `#!`); C++ files then say
/// in one `///` sentence what they hold.
complaints opening_lines(const source_file& file);

complaints pragma_once(const source_file& file);

/// C++ files: neither too long nor too wide.
complaints file_size(const source_file& file);

/// No notes of things left to do.
complaints nothing_left_to_do(const source_file& file);

/// No tabs, no blanks at the end of a line, a newline at the end of the file.
complaints white_space(const source_file& file);

/// Tests do not wait for time to pass.
complaints no_sleeping_test(const source_file& file);

// -- of the whole tree --------------------------------------------------------

/// An included file of ours exists. Its path is from the root; tests may also
/// name a file beside them.
complaints includes_exist(const std::vector<source_file>& tree);

/// A folder of tests has the name of the folder, or of the file, that it tests;
/// every library has tests.
complaints tests_mirror_folders(const std::vector<source_file>& tree);

/// Every source file stands in a `CMakeLists.txt`: of a folder above it, or by
/// its path from the root.
complaints every_source_is_built(const std::vector<source_file>& tree);

} // namespace style
