// SPDX-License-Identifier: Apache-2.0
/// The vocabulary of the tests of the program.
#include "tests/apps/program_test.hpp"

#include "actors/run/checkpoint.hpp"

#include <fstream>
#include <sstream>
#include <utility>

namespace actorpipe::test {

namespace {

constexpr auto run_file = R"([model]
sequence = 16
width = 16
depth = 2
heads = 2
dropout = 0.1

[data]
path = "text.txt"
batch = 8

[optimizer]
learning_rate = 3e-3
warmup_steps = 2
schedule_steps = 40

[pipeline]
stages = 2
micro_batches = 4

[run]
steps = 8
out = "run"
checkpoint_every = 4
log_every = 1
)";

} // namespace

std::string complaints(const process_end& end) {
  std::string result;
  std::istringstream lines(end.err);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("actorpipe: warning: stage ")
        || line.find("x its planned time") == std::string::npos)
      result += line + "\n";
  return result;
}

program_test::program_test() {
  folder_.write("run.toml", run_file);
  folder_.write("text.txt", some_text(4000));
}

child_process program_test::start(const words& arguments,
                                  process_options options) const {
  options.folder = folder_.path();
  return {words{ACTORPIPE_PROGRAM} + arguments, options};
}

process_end program_test::run(const words& arguments,
                              const process_options& options) const {
  return start(arguments, options).finish();
}

std::string program_test::print(const words& arguments) const {
  const auto end = run(arguments);
  EXPECT_EQ(end.code, 0) << testing::PrintToString(arguments) << end.err;
  EXPECT_EQ(complaints(end), "");
  return end.out;
}

std::string program_test::train(const std::string& out,
                                const words& arguments) const {
  return sum_of(
    print(words{"train", "run.toml", "--quiet", "--out", out} + arguments));
}

void program_test::refuses(const words& arguments, const words& said) const {
  SCOPED_TRACE(testing::PrintToString(arguments));
  const auto before = files();
  const auto end = run(arguments);
  EXPECT_EQ(end.code, 2) << end.err;
  EXPECT_EQ(end.out, "");
  for (const auto& text : said)
    EXPECT_NE(end.err.find(text), std::string::npos)
      << "\"" << text << "\" is not in: " << end.err;
  EXPECT_TRUE(before == files()) << "files have changed";
}

std::map<std::string, std::string> program_test::files() const {
  std::map<std::string, std::string> result;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder_.path()))
    if (entry.is_regular_file())
      result[entry.path().lexically_relative(folder_.path()).string()] =
        read_whole(entry.path());
    else
      result[entry.path().lexically_relative(folder_.path()).string()];
  return result;
}

std::filesystem::path program_test::checkpoint(const std::string& out,
                                               int step) const {
  return folder_ / out / "checkpoints" / checkpoint_name(step);
}

std::vector<nlohmann::json>
program_test::metrics(const std::string& out) const {
  std::ifstream file(folder_ / out / "metrics.jsonl");
  std::vector<nlohmann::json> result;
  for (std::string line; std::getline(file, line);)
    result.push_back(nlohmann::json::parse(line));
  return result;
}

std::string after(const std::string& out, std::string_view label,
                  std::string_view end) {
  const auto found = out.rfind(label);
  if (found == std::string::npos)
    return "";
  const auto begin = found + label.size();
  return out.substr(begin, out.find(end, begin) - begin);
}

std::string sum_of(const std::string& out) {
  const auto sum = after(out, "parameters sha256: ");
  EXPECT_EQ(sum.size(), 64U) << out;
  EXPECT_TRUE(out.ends_with("parameters sha256: " + sum + "\n")) << out;
  return sum;
}

std::string some_text(std::size_t size_bytes) {
  const std::string_view pieces[] = {
    "the ", "license ", "of ",      "program ", "and ",   "you ",
    "may ", "copy ",    "without ", "it.\n",    "under ", "any "};
  std::string result;
  std::uint32_t state = 1;
  while (result.size() < size_bytes) {
    // The constants of Numerical Recipes' quick generator.
    state = state * 1664525U + 1013904223U;
    result += pieces[(state >> 16) % std::size(pieces)];
  }
  result.resize(size_bytes);
  return result;
}

} // namespace actorpipe::test
