// SPDX-License-Identifier: Apache-2.0
/// Every rule finds what it is there to find.
#include "tests/style/rules.hpp"

#include <gtest/gtest.h>

namespace style {

namespace {

constexpr auto good_header = "// SPDX-License-Identifier: Apache-2.0\n"
                             "/// Says what it holds.\n"
                             "#pragma once\n";

std::size_t count(const complaints& found) {
  return found.size();
}

TEST(rules, an_orderly_file_breaks_none) {
  const auto file = make_file("compute/a.hpp", good_header);
  EXPECT_EQ(count(include_directions(file)), 0U);
  EXPECT_EQ(count(library_use(file)), 0U);
  EXPECT_EQ(count(opening_lines(file)), 0U);
  EXPECT_EQ(count(pragma_once(file)), 0U);
  EXPECT_EQ(count(file_size(file)), 0U);
  EXPECT_EQ(count(nothing_left_to_do(file)), 0U);
  EXPECT_EQ(count(white_space(file)), 0U);
  EXPECT_EQ(count(no_sleeping_test(file)), 0U);
}

TEST(rules, compute_and_partition_never_include_each_other) {
  EXPECT_EQ(count(include_directions(
              make_file("compute/a.cpp", "#include \"partition/cut.hpp\"\n"))),
            1U);
  EXPECT_EQ(count(include_directions(make_file(
              "partition/a.cpp", "#include \"compute/ops/a.hpp\"\n"))),
            1U);
}

TEST(rules, lower_folders_do_not_include_higher_ones) {
  EXPECT_EQ(count(include_directions(make_file(
              "messages/a.cpp", "#include \"actors/pipeline.hpp\"\n"))),
            1U);
  EXPECT_EQ(count(include_directions(
              make_file("actors/a.cpp", "#include \"apps/main.hpp\"\n"))),
            1U);
  EXPECT_EQ(count(include_directions(
              make_file("apps/a.cpp", "#include \"partition/cut.hpp\"\n"))),
            0U);
}

TEST(rules, caf_stays_above_compute_and_partition) {
  const auto text = "#include <caf/actor.hpp>\n";
  EXPECT_EQ(count(library_use(make_file("compute/a.cpp", text))), 1U);
  EXPECT_EQ(count(library_use(make_file("partition/a.cpp", text))), 1U);
  EXPECT_EQ(count(library_use(make_file("tests/compute/a.cpp", text))), 1U);
  EXPECT_EQ(count(library_use(make_file("messages/a.cpp", text))), 0U);
}

TEST(rules, onednn_stays_in_its_folder) {
  const auto text = "#include <oneapi/dnnl/dnnl.h>\n";
  EXPECT_EQ(count(library_use(make_file("compute/layers/a.cpp", text))), 1U);
  EXPECT_EQ(count(library_use(make_file("compute/cpu/a.cpp", text))), 0U);
}

TEST(rules, partition_has_no_threads_and_no_clock) {
  EXPECT_EQ(
    count(library_use(make_file("partition/a.cpp", "#include <thread>\n"
                                                   "#include <chrono>\n"
                                                   "#include <fmt/format.h>\n"
                                                   "#include <vector>\n"))),
    3U);
}

TEST(rules, files_open_with_the_licence_and_a_sentence) {
  EXPECT_EQ(count(opening_lines(make_file("compute/a.cpp", "int x;\n"))), 2U);
  EXPECT_EQ(count(opening_lines(make_file("scripts/a", "#!/bin/sh\nls\n"))),
            1U);
  EXPECT_EQ(count(opening_lines(make_file("config/a.toml", "a = 1\n"))), 1U);
  EXPECT_EQ(count(opening_lines(make_file("README.md", "text\n"))), 0U);
}

TEST(rules, headers_are_included_once) {
  EXPECT_EQ(count(pragma_once(make_file("compute/a.hpp", "int x;\n"))), 1U);
}

TEST(rules, long_and_wide_files_are_found) {
  std::string lines;
  for (std::size_t i = 0; i <= longest_file_lines; ++i)
    lines += "\n";
  EXPECT_EQ(count(file_size(make_file("compute/a.cpp", lines))), 1U);
  const std::string wide(widest_line_columns + 1, 'x');
  EXPECT_EQ(count(file_size(make_file("compute/a.cpp", wide))), 1U);
}

TEST(rules, notes_of_things_to_do_are_found) {
  EXPECT_EQ(count(nothing_left_to_do(make_file("docs/a.md", "TO"
                                                            "DO: x\n"))),
            1U);
}

TEST(rules, stray_white_space_is_found) {
  EXPECT_EQ(count(white_space(make_file("a.md", "\tx\ny \nz"))), 3U);
}

TEST(rules, tests_that_sleep_are_found) {
  const auto text = "std::this_thread::sleep"
                    "_for(1s);\n";
  EXPECT_EQ(count(no_sleeping_test(make_file("tests/a_test.cpp", text))), 1U);
  EXPECT_EQ(count(no_sleeping_test(make_file("benchmarks/a.cpp", text))), 0U);
}

TEST(rules, includes_that_lead_nowhere_are_found) {
  EXPECT_EQ(count(includes_exist(
              {make_file("compute/a.cpp", "#include \"compute/b.hpp\"\n")})),
            1U);
  EXPECT_EQ(count(includes_exist(
              {make_file("compute/a.cpp", "#include \"compute/b.hpp\"\n"),
               make_file("compute/b.hpp", good_header)})),
            0U);
}

TEST(rules, tests_of_nothing_and_libraries_without_tests_are_found) {
  const auto found = tests_mirror_folders({
    make_file("compute/a.cpp", ""),
    make_file("tests/compute/a_test.cpp", ""),
    make_file("tests/partition/cut_test.cpp", ""),
    make_file("tests/messages/a_test.cpp", ""),
    make_file("messages/a.cpp", ""),
  });
  EXPECT_EQ(found, (complaints{"tests/partition: there is no partition",
                               "actors has no tests"}));
}

TEST(rules, sources_that_nobody_builds_are_found) {
  const std::vector<source_file> tree{
    make_file("compute/CMakeLists.txt", "add_library(x a.cpp)\n"),
    make_file("tests/CMakeLists.txt",
              "add_executable(y ${PROJECT_SOURCE_DIR}/compute/c.cpp)\n"),
    make_file("compute/c.cpp", ""),
    make_file("compute/a.cpp", ""),
    make_file("compute/b.cpp", ""),
  };
  EXPECT_EQ(every_source_is_built(tree),
            (complaints{"compute/b.cpp: stands in no CMakeLists.txt"}));
}

} // namespace

} // namespace style
