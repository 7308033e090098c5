// SPDX-License-Identifier: Apache-2.0
/// What the tests of the program say: run it in a folder of its own, and look
/// at what it printed and left behind.
#pragma once

#include "tests/apps/child_process.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace actorpipe::test {

using words = std::vector<std::string>;

inline words operator+(words a, const words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The file that README's commands train: its text are the system's licences.
inline const std::string tiny_config = ACTORPIPE_SOURCE_DIR "/config/tiny.toml";

/// What a program said on its error stream, but for the names of stragglers:
/// on a busy machine a stage may well be one.
std::string complaints(const process_end& end);

/// A folder with `run.toml`, a model of 7 layers that makes a step within a
/// millisecond, and `text.txt`, what it reads. The program runs there.
class program_test : public testing::Test {
protected:
  program_test();

  child_process start(const words& arguments,
                      process_options options = {}) const;
  process_end run(const words& arguments,
                  const process_options& options = {}) const;

  /// Runs it and expects that it ends well; returns what it printed.
  std::string print(const words& arguments) const;

  /// `train run.toml --quiet`, which leaves the run in `out`; returns the sum
  /// over its parameters.
  std::string train(const std::string& out, const words& arguments = {}) const;

  /// Expects that the program refuses what it was told: exit code 2, an error
  /// that holds all of `said`, no output, and no file made, changed or gone.
  void refuses(const words& arguments, const words& said) const;

  /// Every file below the folder, and what it holds.
  std::map<std::string, std::string> files() const;

  std::filesystem::path checkpoint(const std::string& out, int step) const;

  /// The lines of metrics.jsonl.
  std::vector<nlohmann::json> metrics(const std::string& out) const;

  temporary_folder folder_;
};

/// What stands behind `label` in a line of `out`, up to the end of the line or
/// to `end`; empty when there is no such line.
std::string after(const std::string& out, std::string_view label,
                  std::string_view end = "\n");

/// The sum over the parameters, in the last line of what `train` printed.
std::string sum_of(const std::string& out);

/// Made up of words, the same for the same size.
std::string some_text(std::size_t size_bytes);

} // namespace actorpipe::test
