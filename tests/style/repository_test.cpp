// SPDX-License-Identifier: Apache-2.0
/// The project's own files keep every rule.
#include "tests/style/rules.hpp"

#include <gtest/gtest.h>

#include <iostream>

namespace style {

namespace {

class repository : public testing::Test {
protected:
  static const std::vector<source_file>& tree() {
    static const auto files = read_tree(ACTORPIPE_SOURCE_DIR);
    return files;
  }

  static void expect_none(const complaints& found) {
    for (const auto& one : found)
      ADD_FAILURE() << one;
  }

  static void expect_all_keep(complaints (*rule)(const source_file&)) {
    for (const auto& file : tree())
      expect_none(rule(file));
  }
};

TEST_F(repository, is_found) {
  EXPECT_GT(tree().size(), 100U);
}

TEST_F(repository, keeps_the_include_directions) {
  expect_all_keep(include_directions);
}

TEST_F(repository, uses_libraries_where_they_belong) {
  expect_all_keep(library_use);
}

TEST_F(repository, opens_every_file_with_the_licence) {
  expect_all_keep(opening_lines);
}

TEST_F(repository, includes_every_header_once) {
  expect_all_keep(pragma_once);
}

TEST_F(repository, has_no_file_too_long_or_too_wide) {
  expect_all_keep(file_size);
  for (const auto& file : tree())
    if (file.is_cpp() && file.lines.size() > long_file_lines)
      std::cout << "warning: " << file.path << " has " << file.lines.size()
                << " lines\n";
}

TEST_F(repository, leaves_nothing_to_do) {
  expect_all_keep(nothing_left_to_do);
}

TEST_F(repository, has_no_stray_white_space) {
  expect_all_keep(white_space);
}

TEST_F(repository, has_no_test_that_sleeps) {
  expect_all_keep(no_sleeping_test);
}

TEST_F(repository, includes_files_that_exist) {
  expect_none(includes_exist(tree()));
}

TEST_F(repository, mirrors_the_folders_in_the_tests) {
  expect_none(tests_mirror_folders(tree()));
}

TEST_F(repository, builds_every_source) {
  expect_none(every_source_is_built(tree()));
}

} // namespace

} // namespace style
