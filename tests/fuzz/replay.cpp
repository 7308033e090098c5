// SPDX-License-Identifier: Apache-2.0
/// Runs a fuzz target on every file of the folders that are named: `main` in
/// place of libFuzzer's, for any compiler.
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

namespace fs = std::filesystem;

// In a block of exactly the input's size, so that a sanitizer sees what reads
// beyond it.
void run(const std::vector<char>& input) {
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

} // namespace

int main(int count, char** arguments) {
  std::vector<fs::path> files;
  for (int i = 1; i < count; ++i)
    for (const auto& entry : fs::directory_iterator(arguments[i]))
      files.push_back(entry.path());
  if (files.empty()) {
    std::fprintf(stderr, "usage: %s FOLDER_WITH_INPUTS...\n", arguments[0]);
    return 2;
  }
  std::ranges::sort(files);
  run({});
  for (const auto& file : files) {
    // The last name that is printed is the one that a crash belongs to.
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);
    std::ifstream in(file, std::ios::binary);
    run({std::istreambuf_iterator<char>(in), {}});
  }
  return 0;
}
