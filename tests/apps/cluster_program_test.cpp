// SPDX-License-Identifier: Apache-2.0
/// Finding what a program has left behind.
#include "tests/apps/cluster_program_test.hpp"

#include <algorithm>
#include <cctype>
#include <sched.h>
#include <sys/stat.h>

namespace actorpipe::test {

namespace fs = std::filesystem;

cluster_program_test::cluster_program_test() {
  fs::create_directory(folder_ / "temporary");
}

words cluster_program_test::marked() const {
  return {"/usr/bin/env", "TMPDIR=" + (folder_ / "temporary").string()};
}

child_process cluster_program_test::start_marked(const words& arguments) const {
  process_options options;
  options.folder = folder_.path();
  return {marked() + words{ACTORPIPE_PROGRAM} + arguments, options};
}

process_end cluster_program_test::run_marked(const words& arguments) const {
  return start_marked(arguments).finish();
}

std::vector<int> cluster_program_test::processes() const {
  const auto mark = "TMPDIR=" + (folder_ / "temporary").string();
  std::vector<int> result;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto name = entry.path().filename().string();
    if (!std::ranges::all_of(
          name, [](unsigned char c) { return std::isdigit(c) != 0; }))
      continue;
    // Empty for what has ended and was not waited for.
    if (read_whole(entry.path() / "environ").find(mark) != std::string::npos)
      result.push_back(std::stoi(name));
  }
  return result;
}

void cluster_program_test::await_end_of_processes() const {
  while (!processes().empty())
    sched_yield();
}

void cluster_program_test::leaves_nothing() const {
  EXPECT_EQ(processes(), std::vector<int>{});
  EXPECT_TRUE(fs::is_empty(folder_ / "temporary"));
}

std::string address_in(const std::string& out) {
  return after(out, "listening on ");
}

} // namespace actorpipe::test
